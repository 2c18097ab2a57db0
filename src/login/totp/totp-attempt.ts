import { AuthError } from '../../errors/auth-error.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import type { AttemptLog, AttemptRecorder, StepOrigin } from '../../model/login-attempt.ts';

/**
 * Runs the check of a TOTP or recovery code and writes its decision record; a refusal is audited too. An attempt that
 * was throttled, or that failed for our own reasons, leaves no record: nothing was decided, and a flood of them would
 * displace the others.
 * @throws whatever `decide` throws
 */
export async function recordedTotpAttempt(
  needs: { readonly attempts: AttemptLog; readonly audit: AuditTrail },
  { mechanism, origin }: StepOrigin,
  decide: (attempt: AttemptRecorder) => Promise<void>,
): Promise<void> {
  const attempt = needs.attempts.begin('totp', mechanism, origin);
  try {
    await decide(attempt);
  } catch (error) {
    if (!(error instanceof AuthError) || error.code === 'rate_limited') throw error;
    needs.audit.record({ event: 'login.refused', method: 'totp' }, origin);
    attempt.conclude();
    throw error;
  }
  attempt.conclude();
}
