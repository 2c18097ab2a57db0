import type { ApiSession } from '../model/api-session.ts';
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
