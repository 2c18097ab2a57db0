// `token`: a person with a JWT of an external signer gets an identity. With a signing request it gets a certificate,
// otherwise it logs in with such JWTs.

import { trimmedName } from '../admin/acceptable-values.ts';
import { AuthError } from '../errors/auth-error.ts';
import { type Claims, selectClaim } from '../login/external-jwt/claims-selector.ts';
import {
  furtherThan,
  type RefusedExternalJwt,
  recordRefusal,
  type ValidExternalJwt,
} from '../login/external-jwt/external-jwt-verdict.ts';
import { verifyExternalJwt } from '../login/external-jwt/verify-external-jwt.ts';
import { voucherOf } from '../login/primary-verdict.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Identity } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { quoted } from '../platform/formats/quoted.ts';
import {
  attemptToEnroll,
  byRule,
  type Enrolled,
  type EnrollmentServices,
  refusal,
} from './enroll-attempt.ts';
import { emailSaidBy, enrollNewIdentity, requireExternalId, roleAttributesSaidBy } from './new-identity.ts';
import { issueFor, readRequest } from './with-csr.ts';

/**
 * Creates an identity from an external JWT, by the rules of its signer.
 * @param tokens   in the order of their header lines
 * @param csr      null: the identity will log in with JWTs of the signer
 * @throws AuthError invalid_auth   no token is valid, the same for every cause
 * @throws AuthError enrollment_not_allowed, already_enrolled, csr_not_acceptable, rate_limited
 */
export function enrollWithExternalJwt(
  needs: EnrollmentServices,
  { tokens, csr }: { readonly tokens: readonly string[]; readonly csr: string | null },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'token', origin }, async (attempt) => {
    const { signer, claim, claims } = await verify(needs, tokens, attempt);
    attempt.about({ subject: claim });
    attempt.passed('token', `signer ${signer.name}: "${claim}"`);
    refuseUnlessAllowed(signer, csr, attempt);
    const key = csr === null ? null : readRequest(needs, csr, attempt);
    const id = asId<IdentityId>(needs.random.id());
    const identity = {
      id,
      type: 'Default',
      externalId: signer.useExternalId ? requireExternalId(claim, attempt) : null,
      authPolicyId: signer.enrollAuthPolicyId,
      isAdmin: false,
      ...namedByClaims(signer, claims, attempt),
      ...emailSaidBy({ signer, claims }, signer.createIdentities?.email ?? 'email'),
    } as const;
    const issued = key === null ? null : await issueFor(needs, id, key);
    const limit = needs.newcomers.limitOf(signer);
    const certificate = issued?.certificate ?? null;
    await enrollNewIdentity(
      needs,
      { identity, voucher: voucherOf('signer', signer), certificate, limit },
      attempt,
    );
    return { identityId: id, certificateChain: issued?.chain ?? null };
  });
}

/** The first valid token. */
async function verify(
  needs: EnrollmentServices,
  tokens: readonly string[],
  attempt: AttemptRecorder,
): Promise<ValidExternalJwt> {
  const signers = needs.signers.all();
  const refusals: RefusedExternalJwt[] = [];
  for (const token of tokens) {
    const verdict = await verifyExternalJwt(needs, signers, token);
    if (verdict.verdict === 'valid') return verdict;
    refusals.push(verdict);
  }
  const [furthest] = refusals.sort(furtherThan);
  if (furthest === undefined) attempt.failed('token', 'no-token');
  else recordRefusal(needs.signers, attempt, furthest);
  throw new AuthError('invalid_auth');
}

function refuseUnlessAllowed(signer: ExternalJwtSigner, csr: string | null, attempt: AttemptRecorder): void {
  const setting = csr === null ? 'enrollToTokenEnabled' : 'enrollToCertEnabled';
  const why = { check: 'allowed by the signer', reason: 'enrollment-not-allowed' } as const;
  const refuse = (saw: string) => refusal(attempt, { ...why, saw, code: 'enrollment_not_allowed' });
  if (!signer[setting]) throw refuse(`${signer.name}: ${setting}`);
  // No token could name the id of such an identity.
  if (csr === null && !signer.useExternalId) throw refuse(`${signer.name}: useExternalId is off`);
}

/** Name and role attributes, from the claims that the signer names for them. */
function namedByClaims(
  signer: ExternalJwtSigner,
  claims: Claims,
  attempt: AttemptRecorder,
): Pick<Identity, 'name' | 'roleAttributes'> {
  const { enrollNameClaimsSelector, enrollAttributeClaimsSelector } = signer;
  const why = { check: 'name and attributes', reason: 'enrollment-name-refused' } as const;
  const vouchedFor = (selector: string): unknown => {
    const { value, isVouchedFor, emailVerified } = selectClaim(claims, selector, signer);
    if (value === undefined || isVouchedFor) return value;
    const saw = `its claim ${selector} is ${quoted(value)}, and email_verified is ${quoted(emailVerified)}`;
    throw refusal(attempt, { ...why, reason: 'email-not-verified', saw, code: 'could_not_validate' });
  };
  const name = vouchedFor(enrollNameClaimsSelector);
  const attributes = enrollAttributeClaimsSelector === null ? [] : vouchedFor(enrollAttributeClaimsSelector);
  return byRule(attempt, why, () => ({
    name: trimmedName('name', typeof name === 'string' ? name : ''),
    roleAttributes: roleAttributesSaidBy(signer, attributes),
  }));
}
