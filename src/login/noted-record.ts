// Records of checks that nobody has to store, or not yet.

import type { AttemptCheck, AttemptRecorder } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';

/** The notes of a check in which nobody logs in. They are not stored. */
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
    },
    about({ subject }) {
      noted.subject = subject ?? noted.subject;
    },
    conclude() {},
  };
}

/** Checks of one of several proofs, held back until it is known which proof counts. */
export interface HeldRecord extends AttemptRecorder {
  /** Adds what was noted to the record of the step. */
  handTo(attempt: AttemptRecorder): void;
}

export function heldRecord(): HeldRecord {
  const notes: ((attempt: AttemptRecorder) => void)[] = [];
  return {
    passed: (check, saw) => void notes.push((attempt) => attempt.passed(check, saw)),
    failed: (check, reason, saw) => void notes.push((attempt) => attempt.failed(check, reason, saw)),
    about: (who) => void notes.push((attempt) => attempt.about(who)),
    // Whoever began the step concludes it.
    conclude() {},
    handTo(attempt) {
      for (const note of notes) note(attempt);
    },
  };
}
