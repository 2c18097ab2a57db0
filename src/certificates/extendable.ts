import type { ApiSession } from '../model/api-session.ts';
import type { AuthenticatorStore } from '../store/contracts/authenticators.ts';
import type { ClientCertificateIssuer } from './client-certificate-issuer.ts';

/**
 * Whether the certificate that opened a session can be extended here: it is an authenticator's, the overlay's own PKI
 * issued it, and there is something to sign its successor with (`z_ice`, spec 2.5).
 */
export function isCertificateExtendable(
  issuer: Pick<ClientCertificateIssuer, 'isAvailable'>,
  { passed, authenticatorId, caId }: Pick<ApiSession, 'passed' | 'authenticatorId' | 'caId'>,
): boolean {
  return issuer.isAvailable && passed[0] === 'cert' && authenticatorId !== null && caId === null;
}

/** What a client is told of the certificate that opened its session. */
export interface CertificateExtension {
  readonly isExtendable: boolean;
  /** An administrator wants it replaced. */
  readonly isRequested: boolean;
  readonly isKeyRollRequested: boolean;
}

export interface CertificateExtensionNeeds {
  readonly certificateIssuer: ClientCertificateIssuer;
  readonly store: { readonly authenticators: Pick<AuthenticatorStore, 'find'> };
}

/** Nothing of it is true of a session that another method opened. */
export async function certificateExtension(
  needs: CertificateExtensionNeeds,
  session: Pick<ApiSession, 'passed' | 'authenticatorId' | 'caId'>,
): Promise<CertificateExtension> {
  const isExtendable = isCertificateExtendable(needs.certificateIssuer, session);
  const { authenticatorId } = session;
  const authenticator =
    isExtendable && authenticatorId !== null ? await needs.store.authenticators.find(authenticatorId) : null;
  if (authenticator?.method !== 'cert') {
    return { isExtendable: false, isRequested: false, isKeyRollRequested: false };
  }
  const { isExtendRequested: isRequested, isKeyRollRequested } = authenticator;
  return { isExtendable, isRequested, isKeyRollRequested };
}
