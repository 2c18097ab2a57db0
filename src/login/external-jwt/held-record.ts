import type { AttemptRecorder } from '../../model/login-attempt.ts';

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
