// A client replaces its certificate before it expires: over a connection that proves the current one it asks for a
// successor, and it confirms when the successor is stored. Until then only the current one logs in.

import {
  clientCertificateLifetime,
  keptKey,
  type RequestedKey,
} from '../certificates/client-certificate-issuer.ts';
import { AuthError } from '../errors/auth-error.ts';
import { verifyCertificate } from '../login/certificate/certificate.ts';
import type { CertificateAuthenticator } from '../model/authenticator.ts';
import { type AuthenticatorId, asId } from '../model/ids.ts';
import { type OwnCall, ownerOf, type Principal } from '../model/principal.ts';
import { MalformedInput } from '../platform/formats/strict-input.ts';
import { parseCertificate, thumbprint } from '../platform/x509/x509.ts';
import type { EnrollmentServices } from './enroll-attempt.ts';

/**
 * Issues the successor of a certificate and stores it beside it, replacing any unconfirmed successor.
 * @param chain DER of what the connection proved and sent, the leaf first; null when it sent nothing
 * @returns PEM, the certificate first, then those that lead towards the root
 * @throws AuthError not_found            no certificate of the caller
 * @throws AuthError forbidden            the connection does not prove the current certificate
 * @throws AuthError conflict             the current certificate comes from a third-party authority
 * @throws AuthError csr_not_acceptable   also when a new key was requested and the request has the old one
 */
export async function extendCertificate(
  needs: EnrollmentServices,
  call: OwnCall,
  { id, request, chain }: { id: string; request: string; chain: readonly Buffer[] | null },
): Promise<string> {
  const { caller, origin } = call;
  const authenticator = await ownCertificate(needs, caller, id);
  const key = needs.certificateIssuer.readRequest(request);
  await requirePresentOne(needs, call, { authenticator, chain });
  const hasNewKey = !isSameKey(key, authenticator);
  if (authenticator.isKeyRollRequested && !hasNewKey)
    throw new AuthError('csr_not_acceptable', {
      description:
        'A new key was requested, but the certificate signing request has the key of the current certificate',
    });
  const { identityId } = caller;
  const issued = await needs.certificateIssuer.issue({
    key,
    identityId,
    lifetime: clientCertificateLifetime,
  });
  const { authenticators } = needs.store.onBehalfOf(ownerOf(caller), needs.clock.now());
  const isKept = await authenticators.keepSuccessor({
    id: authenticator.id,
    currentThumbprint: authenticator.thumbprint,
    certPem: issued.certPem,
    thumbprint: issued.thumbprint,
    hasNewKey,
  });
  if (!isKept) throw new AuthError('not_found', { detail: 'the authenticator was changed meanwhile' });
  const authenticatorId = authenticator.id;
  needs.audit.record({ event: 'certificate.extended', identityId, authenticatorId }, origin);
  return issued.chainPem;
}

/**
 * The client has stored the successor: from now on it logs in with that, and the previous one no longer works. If a new
 * key was requested, others may have the old one: sessions opened with it end, except the one of this call.
 * @param certPem the successor, as it was handed out; only the first certificate counts
 * @throws AuthError not_found            no certificate of the caller
 * @throws AuthError could_not_validate   not the successor that was handed out last
 */
export async function confirmExtension(
  needs: EnrollmentServices,
  { caller, origin }: OwnCall,
  { id, certPem }: { id: string; certPem: string },
): Promise<void> {
  const { id: authenticatorId } = await ownCertificate(needs, caller, id);
  const now = needs.clock.now();
  const isTaken = await needs.store.onBehalfOf(ownerOf(caller), now).authenticators.promoteSuccessor({
    id: authenticatorId,
    thumbprint: thumbprintOf(certPem),
    now,
    exceptSession: caller.apiSessionId,
  });
  if (!isTaken) throw notTheSuccessor();
  const { identityId } = caller;
  needs.audit.record({ event: 'certificate.replaced', identityId, authenticatorId }, origin);
}

async function ownCertificate(
  { store }: EnrollmentServices,
  caller: Principal,
  id: string,
): Promise<CertificateAuthenticator> {
  const authenticator = await store.authenticators.find(asId<AuthenticatorId>(id));
  if (authenticator?.identityId !== caller.identityId || authenticator.method !== 'cert')
    throw new AuthError('not_found');
  return authenticator;
}

/** The token alone is not enough: a thief must not get a certificate that outlives the stolen token. */
async function requirePresentOne(
  needs: EnrollmentServices,
  { caller, origin }: OwnCall,
  {
    authenticator: { id },
    chain,
  }: { authenticator: CertificateAuthenticator; chain: readonly Buffer[] | null },
): Promise<void> {
  const step = { step: 'cert', mechanism: caller.mechanism, origin } as const;
  const presented = await needs.attempts.decide(step, async (attempt) => {
    const verdict = await verifyCertificate(needs, chain, attempt);
    // To extend a certificate, or to present another one, is no step of a login.
    return verdict.verdict === 'refused' ? verdict : { ...verdict, verdict: 'unrecorded' };
  });
  if (presented.verdict === 'refused' || presented.proof.authenticatorId !== id)
    throw new AuthError('forbidden', {
      description: 'The connection has to present the certificate that is to be extended',
    });
  if (presented.proof.caId !== null)
    throw new AuthError('conflict', {
      description: 'The certificate comes from a third-party authority, which alone can renew it',
    });
}

function isSameKey(key: RequestedKey, { certPem }: CertificateAuthenticator): boolean {
  return keptKey(key) === keptKey({ publicKey: parseCertificate(certPem).publicKey });
}

function thumbprintOf(certPem: string): string {
  try {
    return thumbprint(parseCertificate(certPem));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw notTheSuccessor();
  }
}

function notTheSuccessor(): AuthError {
  const reason = 'is not the certificate that was issued last for this authenticator';
  return new AuthError('could_not_validate', { fields: [{ field: 'clientCert', reason }] });
}
