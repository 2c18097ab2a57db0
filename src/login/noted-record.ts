// Records of checks that are not stored, or not yet.

import { AuthError } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AttemptStep } from '../model/login.ts';
import type { AttemptCheck, AttemptLog, AttemptRecorder, StepOrigin } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';

/** The notes of a check without a login. They are not stored. */
export interface NotedRecord extends AttemptRecorder {
  readonly checks: readonly AttemptCheck[];
  /** From the first check that failed; null as long as none has. */
  readonly reason: RefusalReason | null;
  /** The last subject that was named. */
  readonly subject: string | null;
}

export function notedRecord(): NotedRecord {
  const checks: AttemptCheck[] = [];
  const noted: { reason: RefusalReason | null; subject: string | null } = { reason: null, subject: null };
  const note = (check: string, verdict: AttemptCheck['verdict'], saw: string | undefined) =>
    void checks.push({ check, verdict, saw: saw ?? null });
  return {
    checks,
    get reason() {
      return noted.reason;
    },
    get subject() {
      return noted.subject;
    },
    passed: (check, saw) => note(check, 'passed', saw),
    failed(check, why, saw) {
      note(check, 'failed', saw);
      noted.reason ??= why;
      return null;
    },
    seen: (check, saw) => note(check, 'seen', saw),
    about({ subject }) {
      noted.subject = subject ?? noted.subject;
    },
    conclude() {},
  };
}

/** Checks of one of several proofs, held back until it is known which proof counts. */
export interface HeldRecord extends AttemptRecorder {
  /** How many checks have passed so far. */
  readonly passes: number;
  /** Adds the notes to the record of the step. */
  handTo(attempt: AttemptRecorder): void;
}

export function heldRecord(): HeldRecord {
  const notes: ((attempt: AttemptRecorder) => void)[] = [];
  let passes = 0;
  return {
    get passes() {
      return passes;
    },
    passed(check, saw) {
      passes += 1;
      notes.push((attempt) => attempt.passed(check, saw));
    },
    failed(check, reason, saw) {
      notes.push((attempt) => attempt.failed(check, reason, saw));
      return null;
    },
    seen: (check, saw) => void notes.push((attempt) => attempt.seen(check, saw)),
    about: (who) => void notes.push((attempt) => attempt.about(who)),
    // The caller that began the step concludes it.
    conclude() {},
    handTo(attempt) {
      for (const note of notes) note(attempt);
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
