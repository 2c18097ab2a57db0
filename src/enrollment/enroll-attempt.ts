// Shared by all ways of enrolling: the decision record, the audit events, and how refusals are made.

import type { ClientCertificateIssuer } from '../certificates/client-certificate-issuer.ts';
import { AuthError, type AuthErrorOptions, isRefusal } from '../errors/auth-error.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { hashNewPassword } from '../login/password/new-password.ts';
import type { LoginServices } from '../login/services.ts';
import { countRefusal, requireOpenSource } from '../login/throttle.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { EnrollmentKind } from '../model/enrollment.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { IdentityId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';

/** The services of all ways of enrolling. */
export interface EnrollmentServices extends LoginServices {
  readonly certificateIssuer: ClientCertificateIssuer;
}

/** The result of an enrollment. */
export interface Enrolled {
  readonly identityId: IdentityId;
  /** PEM: the certificate, then those that lead towards the root; null when none was issued here. */
  readonly certificateChain: string | null;
  /** With a password: the user name to log in with. */
  readonly username?: string;
  /** With a passkey. */
  readonly passkeyId?: string;
}

/** Enrollment methods in which a stranger sends something to verify: a certificate, a token, a link. */
const provenBySender: ReadonlySet<EnrollmentKind> = new Set(['ottca', 'ca', 'token', 'invitation']);

/**
 * Keeps the decision record of one attempt to enroll.
 * @throws AuthError rate_limited   too many certificates or tokens from this source were refused
 */
export async function attemptToEnroll<Result extends Enrolled>(
  needs: EnrollmentServices,
  { method, origin }: { method: EnrollmentKind; origin: RequestOrigin },
  decide: (attempt: AttemptRecorder) => Promise<Result>,
): Promise<Result> {
  const isProof = provenBySender.has(method);
  if (isProof) await requireOpenSource(needs, origin.ipAddress);
  const step = { step: 'enroll', mechanism: 'enrollment', origin } as const;
  const decided = needs.attempts.decide(step, async (attempt) => {
    attempt.passed('method', method);
    const enrolled = await decide(attempt);
    attempt.about({ identityId: enrolled.identityId });
    return { verdict: 'passed', enrolled };
  });
  const { enrolled } = await decided.catch(async (error) => {
    if (!isRefusal(error)) throw error;
    if (isProof) await countRefusal(needs, origin.ipAddress);
    needs.audit.record({ event: 'enrollment.refused', enrollment: method }, origin);
    throw error;
  });
  const { identityId, passkeyId } = enrolled;
  const added = passkeyId === undefined ? {} : { passkeyId };
  needs.audit.record({ event: 'enrollment.completed', enrollment: method, identityId, ...added }, origin);
  return enrolled;
}

/** A refusal: the check, its reason and its finding for the decision record; the rest for the client. */
interface Refusal extends Omit<AuthErrorOptions, 'reason'> {
  readonly check: string;
  readonly reason: RefusalReason;
  readonly saw?: string;
  /** Default: the same for most causes, so that a stranger does not learn which tokens there are. */
  readonly code?: ErrorCode;
}

/** Records the reason, and returns the error to throw. */
export function refusal(
  attempt: AttemptRecorder,
  { check, reason, saw, code = 'invalid_enrollment_token', ...options }: Refusal,
): AuthError {
  attempt.failed(check, reason, saw);
  return new AuthError(code, options);
}

/** The result of a rule that has no access to the record; its refusal is recorded. */
export function byRule<Result>(
  attempt: AttemptRecorder,
  why: Pick<Refusal, 'check' | 'reason'>,
  rule: () => Result,
): Result {
  try {
    return rule();
  } catch (error) {
    throw recordedRefusal(attempt, why, error);
  }
}

/**
 * The hash of the password that a person chose, by the rules of their policy.
 * @throws AuthError password_not_acceptable   with every reason
 */
export async function hashChosen(
  needs: EnrollmentServices,
  chosen: { password: string; username: string; origin: RequestOrigin },
  { identity, policy, attempt }: { identity: Identity; policy: AuthPolicy; attempt: AttemptRecorder },
): Promise<string> {
  const ownNames = [chosen.username, identity.name];
  const rules = { policy: policy.primary.updb, ownNames, source: chosen.origin.ipAddress };
  const hash = await hashNewPassword(needs, chosen.password, rules).catch((error) => {
    throw recordedRefusal(attempt, { check: 'password', reason: 'enrollment-password-refused' }, error);
  });
  attempt.passed('password', `rules of policy ${policy.name}`);
  return hash;
}

function recordedRefusal(
  attempt: AttemptRecorder,
  why: Pick<Refusal, 'check' | 'reason'>,
  error: unknown,
): unknown {
  if (!isRefusal(error)) return error;
  const { code, description, fields } = error;
  return refusal(attempt, { ...why, saw: description, code, description, fields, cause: error });
}
