import { AuthError } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AttemptStep } from '../model/login.ts';
import type { AttemptLog, AttemptRecorder, StepOrigin } from '../model/login-attempt.ts';

/**
 * Runs the check of a second factor and writes its decision record; a refusal is audited too. An attempt that was
 * throttled, or that failed for our own reasons, leaves no record: nothing was decided, and a flood of them would displace
 * the others.
 * @throws whatever `decide` throws
 */
export async function recordedAttempt<Outcome>(
  needs: { readonly attempts: AttemptLog; readonly audit: AuditTrail },
  { step, mechanism, origin }: StepOrigin & { readonly step: AttemptStep },
  decide: (attempt: AttemptRecorder) => Promise<Outcome>,
): Promise<Outcome> {
  const attempt = needs.attempts.begin(step, mechanism, origin);
  try {
    const outcome = await decide(attempt);
    attempt.conclude();
    return outcome;
  } catch (error) {
    if (!(error instanceof AuthError) || error.code === 'rate_limited') throw error;
    needs.audit.record({ event: 'login.refused', method: step }, origin);
    attempt.conclude();
    throw error;
  }
}
