// Counts decisions for the metrics while they are recorded. The deciding code does not know: its audit trail and its
// attempt log are wrapped. Labels come from closed lists, never from a client, so that nobody can make the counts grow.

import type { AuditEvent, KeptAuditTrail } from '../model/audit-event.ts';
import type { AttemptLog, AttemptStep, LoginAttempt, RefusalReason } from '../model/login-attempt.ts';

export interface Counted<Labels> {
  readonly labels: Labels;
  readonly count: number;
}

/** The count of each combination of labels. */
export interface Tally<Labels> {
  /** @param count 1 unless several were counted elsewhere */
  add(labels: Labels, count?: number): void;
  /** In the order in which they first occurred. */
  list(): readonly Counted<Labels>[];
}

/** @typeParam Labels texts from closed lists; there is one entry for every combination that occurred */
export function tally<Labels extends Readonly<Record<string, string>>>(): Tally<Labels> {
  const entries = new Map<string, { readonly labels: Labels; count: number }>();
  return {
    add(labels, count = 1) {
      const key = Object.values(labels).join(' ');
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { labels, count });
      else entry.count += count;
    },
    list: () => [...entries.values()],
  };
}

/** The sums of several counts by label. */
export function sumOfCounts<Labels extends Readonly<Record<string, string>>>(
  lists: readonly (readonly Counted<Labels>[])[],
): readonly Counted<Labels>[] {
  const sum = tally<Labels>();
  for (const { labels, count } of lists.flat()) sum.add(labels, count);
  return sum.list();
}

export type AuditLabels = Readonly<{ event: AuditEvent['event']; method: AttemptStep | 'none' }>;

/** The audit trail that also counts its events. */
export function countedAudit(trail: KeptAuditTrail, counts: Tally<AuditLabels>): KeptAuditTrail {
  return {
    record(event, origin) {
      counts.add({ event: event.event, method: 'method' in event ? event.method : 'none' });
      trail.record(event, origin);
    },
    written: () => trail.written(),
    kept: () => trail.kept(),
  };
}

export type AttemptLabels = Readonly<{
  step: AttemptStep;
  mechanism: LoginAttempt['mechanism'];
  outcome: LoginAttempt['outcome'];
  reason: RefusalReason | 'none';
}>;

/** The attempt log that also counts what was concluded, even if a flood drops the record itself. */
export function countedAttempts(log: AttemptLog, counts: Tally<AttemptLabels>): AttemptLog {
  return {
    begin(step, mechanism, origin) {
      const recorder = log.begin(step, mechanism, origin);
      let reason: RefusalReason | null = null;
      return {
        ...recorder,
        failed(check, why, saw) {
          reason ??= why;
          recorder.failed(check, why, saw);
        },
        conclude() {
          counts.add({
            step,
            mechanism,
            outcome: reason === null ? 'passed' : 'refused',
            reason: reason ?? 'none',
          });
          recorder.conclude();
        },
      };
    },
  };
}
