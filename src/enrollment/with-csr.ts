// `ott`: the device makes a key and sends a certificate signing request; this service issues the certificate.

import { clientCertificateLifetime, type RequestedKey } from '../certificates/client-certificate-issuer.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import { type AuthenticatorId, asId, type IdentityId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { NewCertificateAuthenticator } from '../store/contracts/authenticators.ts';
import { attemptToEnroll, byRule, type Enrolled, type EnrollmentServices } from './enroll-attempt.ts';
import { openEnrollment, redeemEnrollment } from './open-enrollment.ts';

/**
 * Enrolls the identity of a token with a certificate for the key of the request.
 * @throws AuthError csr_not_acceptable   the token keeps working
 * @throws AuthError as openEnrollment and redeemEnrollment
 */
export function enrollWithCsr(
  needs: EnrollmentServices,
  { token, csr }: { readonly token: string; readonly csr: string },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'ott', origin }, async (attempt) => {
    const open = await openEnrollment(needs, { token, method: 'ott' }, attempt);
    const key = readRequest(needs, csr, attempt);
    const { certificate, chain } = await issueFor(needs, open.identity.id, key);
    return redeemEnrollment(
      needs,
      { open, authenticator: { method: 'cert', ...certificate }, certificateChain: chain },
      attempt,
    );
  });
}

/** @throws AuthError csr_not_acceptable   with the reason in the decision record */
export function readRequest(
  { certificateIssuer }: EnrollmentServices,
  csr: string,
  attempt: AttemptRecorder,
): RequestedKey {
  const why = { check: 'certificate signing request', reason: 'enrollment-request-refused' } as const;
  const key = byRule(attempt, why, () => certificateIssuer.readRequest(csr));
  attempt.passed(why.check);
  return key;
}

/**
 * Issues a certificate. It names the identity, even if the request names another one, and cannot be used for a login
 * before the store knows it.
 */
export async function issueFor(
  { certificateIssuer, random }: EnrollmentServices,
  identityId: IdentityId,
  key: RequestedKey,
): Promise<{ readonly certificate: NewCertificateAuthenticator; readonly chain: string }> {
  const issued = await certificateIssuer.issue({ key, identityId, lifetime: clientCertificateLifetime });
  const id = asId<AuthenticatorId>(random.id());
  const { certPem, thumbprint } = issued;
  return { certificate: { id, identityId, certPem, thumbprint, tags: {} }, chain: issued.chainPem };
}
