// Steps whose refusals are thrown.

import { isRefusal } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AttemptLog, AttemptRecorder, StepToDecide } from '../model/login-attempt.ts';

/**
 * Runs the check of a second factor, which passes if it returns, and writes its decision record; a refusal is audited
 * too.
 * @throws every error of `decide`
 */
export async function recordedAttempt<Outcome>(
  needs: { attempts: AttemptLog; audit: AuditTrail },
  step: StepToDecide,
  decide: (attempt: AttemptRecorder) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const { outcome } = await needs.attempts.decide(step, async (attempt) => ({
      verdict: 'passed',
      outcome: await decide(attempt),
    }));
    return outcome;
  } catch (error) {
    if (isRefusal(error) && error.code !== 'rate_limited')
      needs.audit.record({ event: 'login.refused', method: step.step }, step.origin);
    throw error;
  }
}
