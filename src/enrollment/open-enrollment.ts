import type { AuthError } from '../errors/auth-error.ts';
import { isDisabled } from '../model/account.ts';
import type { TokenMethod } from '../model/enrollment.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { isoTime } from '../platform/clock.ts';
import type { NewAuthenticator, OpenEnrollment } from '../store/contracts/enrollments.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { foreignToken, readOpaqueToken } from '../tokens/opaque-token.ts';
import { type Enrolled, type EnrollmentServices, refusal } from './enroll-attempt.ts';

/** An enrollment that works now, with the hash of the presented token. */
export interface PresentedEnrollment extends OpenEnrollment {
  readonly tokenHash: string;
}

/**
 * Finds the enrollment of a token without using it up: what came with the token is judged before it is redeemed.
 * @throws AuthError invalid_enrollment_token   the same for every cause but one; the decision record has the reason
 * @throws AuthError enrollment_expired
 */
export async function openEnrollment(
  needs: EnrollmentServices,
  { token, method }: { token: string; method: TokenMethod },
  attempt: AttemptRecorder,
): Promise<PresentedEnrollment> {
  // A token that we did not make costs no query.
  const read = readOpaqueToken(needs.tagKey, 'enrollment', token);
  const hash = read?.hash ?? foreignToken(token)?.hash;
  const found = hash === undefined ? null : await needs.store.enrollments.findByTokenHash(hash);
  if (hash === undefined || found === null) {
    const saw =
      read === undefined ? 'no token of this service' : `the enrollment ${read.id} no longer has this token`;
    throw refusal(attempt, { check: 'token', reason: 'enrollment-token-unknown', saw });
  }
  const { enrollment, identity } = found;
  attempt.about({ identityId: identity.id, subject: identity.name });
  attempt.passed('token', `enrollment ${enrollment.id} of ${identity.name}`);
  if (enrollment.method !== method) {
    const saw = `the token is for ${enrollment.method}`;
    throw refusal(attempt, { check: 'method of the token', reason: 'enrollment-other-method', saw });
  }
  if (enrollment.expiresAt <= needs.clock.now()) throw expired(attempt, enrollment.expiresAt);
  attempt.passed('expiry', isoTime(enrollment.expiresAt));
  if (isDisabled(identity, needs.clock.now())) throw disabled(attempt);
  attempt.passed('identity enabled', identity.name);
  return { ...found, tokenHash: hash };
}

/**
 * Uses the token up and gives its identity the authenticator, in one step of the store.
 * @throws AuthError already_enrolled   the token keeps working
 * @throws AuthError as openEnrollment, for what happened meanwhile
 */
export async function redeemEnrollment(
  needs: EnrollmentServices,
  {
    open: { tokenHash, enrollment, identity },
    authenticator,
    certificateChain,
  }: { open: PresentedEnrollment; authenticator: NewAuthenticator; certificateChain: string | null },
  attempt: AttemptRecorder,
): Promise<Enrolled> {
  const { method } = enrollment;
  const redemption = { tokenHash, method, authenticator, now: needs.clock.now() };
  const outcome = await needs.store.enrollments
    .redeem(redemption)
    .catch((error) => takenOutcome(error, attempt));
  if (outcome === 'unknown') {
    const saw = 'another request used it first';
    throw refusal(attempt, { check: 'token unused', reason: 'enrollment-token-unknown', saw });
  }
  if (outcome === 'expired') throw expired(attempt, enrollment.expiresAt);
  if (outcome === 'disabled') throw disabled(attempt);
  return { identityId: identity.id, certificateChain };
}

function takenOutcome(error: unknown, attempt: AttemptRecorder): never {
  if (!(error instanceof AlreadyTaken)) throw error;
  const what: Readonly<Record<string, string>> = {
    method: 'The identity has a password already',
    certPem: 'The certificate belongs to an identity already',
    username: 'The user name belongs to an identity already',
  };
  const description = what[error.field];
  const why = { check: 'not enrolled yet', reason: 'already-enrolled', saw: error.message } as const;
  throw refusal(attempt, { ...why, code: 'already_enrolled', ...(description && { description }) });
}

function expired(attempt: AttemptRecorder, expiresAt: number): AuthError {
  const why = { check: 'expiry', reason: 'enrollment-expired', saw: `since ${isoTime(expiresAt)}` } as const;
  return refusal(attempt, { ...why, code: 'enrollment_expired' });
}

function disabled(attempt: AttemptRecorder): AuthError {
  return refusal(attempt, { check: 'identity enabled', reason: 'identity-disabled' });
}
