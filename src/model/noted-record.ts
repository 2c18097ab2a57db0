// The notes of a check, which its caller shows, hands on or stores.

import type { AttemptCheck, AttemptRecorder } from './login-attempt.ts';
import type { RefusalReason } from './refusal-reason.ts';

/** The notes of a check, for its caller to show, or to hand on once it is known which of several proofs counts. */
export interface NotedRecord extends AttemptRecorder {
  readonly checks: readonly AttemptCheck[];
  /** From the first check that failed; null as long as none has. */
  readonly reason: RefusalReason | null;
  /** The last identity and subject that were named. */
  readonly identityId: string | null;
  readonly subject: string | null;
  /** Adds the notes to the record of a step. */
  handTo(attempt: AttemptRecorder): void;
}

export function notedRecord(): NotedRecord {
  const checks: AttemptCheck[] = [];
  const notes: ((attempt: AttemptRecorder) => void)[] = [];
  let reason: RefusalReason | null = null;
  let identityId: string | null = null;
  let subject: string | null = null;
  const note = (check: string, verdict: AttemptCheck['verdict'], saw: string | undefined) =>
    void checks.push({ check, verdict, saw: saw ?? null });
  return {
    checks,
    get reason() {
      return reason;
    },
    get identityId() {
      return identityId;
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
      identityId = who.identityId ?? identityId;
      subject = who.subject ?? subject;
    },
    handTo(attempt) {
      for (const each of notes) each(attempt);
    },
  };
}
