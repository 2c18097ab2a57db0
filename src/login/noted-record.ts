// Records of checks that are not stored, or not yet.

import { AuthError } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AttemptStep } from '../model/login.ts';
import type { AttemptCheck, AttemptLog, AttemptRecorder, StepOrigin } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';

/** The notes of a check, for its caller to show, or to hand on once it is known which of several proofs counts. */
export interface NotedRecord extends AttemptRecorder {
  readonly checks: readonly AttemptCheck[];
  /** From the first check that failed; null as long as none has. */
  readonly reason: RefusalReason | null;
  /** The last subject that was named. */
  readonly subject: string | null;
  /** Adds the notes to the record of a step. */
  handTo(attempt: AttemptRecorder): void;
}

export function notedRecord(): NotedRecord {
  const checks: AttemptCheck[] = [];
  const notes: ((attempt: AttemptRecorder) => void)[] = [];
  let reason: RefusalReason | null = null;
  let subject: string | null = null;
  const note = (check: string, verdict: AttemptCheck['verdict'], saw: string | undefined) =>
    void checks.push({ check, verdict, saw: saw ?? null });
  return {
    checks,
    get reason() {
      return reason;
    },
    get subject() {
      return subject;
    },
    passed(check, saw) {
      note(check, 'passed', saw);
      notes.push((attempt) => attempt.passed(check, saw));
    },
    failed(check, why, saw) {
      note(check, 'failed', saw);
      notes.push((attempt) => attempt.failed(check, why, saw));
      reason ??= why;
      return null;
    },
    seen(check, saw) {
      note(check, 'seen', saw);
      notes.push((attempt) => attempt.seen(check, saw));
    },
    about(who) {
      notes.push((attempt) => attempt.about(who));
      subject = who.subject ?? subject;
    },
    // The caller that began the step concludes it.
    conclude() {},
    handTo(attempt) {
      for (const each of notes) each(attempt);
    },
  };
}

/**
 * Runs the check of a second factor and writes its decision record; a refusal is audited too. An attempt that was
 * throttled, or that failed for our own reasons, leaves no record: nothing was decided, and a flood of them would displace
 * the others.
 * @throws every error of `decide`
 */
export async function recordedAttempt<Outcome>(
  needs: { attempts: AttemptLog; audit: AuditTrail },
  { step, mechanism, origin }: StepOrigin & { step: AttemptStep },
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
