// Counters for the metrics: decisions, while they are recorded, and answers. The deciding code does not know. Labels
// come from closed lists, never from a client, so that a client cannot create new ones. Each thread counts by itself,
// and the lists of all threads are added up.

import type { AuditEvent, KeptAuditTrail } from '../model/audit-event.ts';
import type { AttemptStep } from '../model/login.ts';
import type { LoginAttempt } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import type { Millis, Seconds } from '../platform/clock.ts';

export interface Counted<Labels> {
  readonly labels: Labels;
  readonly count: number;
}

/** The count of each combination of labels. */
export type Tally<Labels extends Readonly<Record<string, string>>> = ReturnType<typeof tally<Labels>>;

/** @typeParam Labels texts from closed lists; there is one entry for every combination that occurred */
export function tally<Labels extends Readonly<Record<string, string>>>() {
  const entries = new Map<string, { readonly labels: Labels; count: number }>();
  return {
    /** @param count 1 unless several were counted elsewhere */
    add(labels: Labels, count = 1) {
      const key = Object.values(labels).join(' ');
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { labels, count });
      else entry.count += count;
    },
    /** In the order in which they first occurred. */
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

/** Counts decision records. A refused request is not counted here: its answer is. */
export function attemptCounter(counts: Tally<AttemptLabels>): (attempt: LoginAttempt) => void {
  return ({ step, mechanism, outcome, reason }) => {
    if (step !== 'request') counts.add({ step, mechanism, outcome, reason: reason ?? 'none' });
  };
}

/** The answers of one API with statuses of one class. */
export interface AnswerSeries {
  readonly api: string;
  readonly statusClass: string;
  /** For each of `answerBuckets` the answers that took at most that long, then all. */
  readonly cumulative: readonly number[];
  readonly sumSeconds: Seconds;
}

/** Upper bounds: from an answer out of memory, past a password hash, to what people complain about. */
export const answerBuckets: readonly Seconds[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const bucketLimits: readonly Millis[] = answerBuckets.map((bound) => bound * 1000);

interface Cell {
  readonly api: string;
  readonly statusClass: string;
  readonly counts: Float64Array;
  sum: Millis;
}

/** Counts answers and how long they took, by API and status class: at most 40 series. */
export function answerTimes() {
  const cells = new Map<string, (Cell | undefined)[]>();

  function newCell(api: string, hundreds: number): Cell {
    const counts = new Float64Array(bucketLimits.length + 1);
    const cell = { api, statusClass: `${hundreds}xx`, counts, sum: 0 };
    const ofApi = cells.get(api) ?? [];
    ofApi[hundreds] = cell;
    cells.set(api, ofApi);
    return cell;
  }

  return {
    /** Its cost must be negligible, because it runs for every request. */
    observe(api: string, status: number, duration: Millis): void {
      const hundreds = Math.trunc(status / 100);
      const cell = cells.get(api)?.[hundreds] ?? newCell(api, hundreds);
      let bucket = 0;
      while (bucket < bucketLimits.length && duration > (bucketLimits[bucket] as number)) bucket += 1;
      cell.counts[bucket] = (cell.counts[bucket] as number) + 1;
      cell.sum += duration;
    },
    list: (): readonly AnswerSeries[] =>
      [...cells.values()].flatMap((ofApi) => ofApi.filter((cell) => cell !== undefined).map(seriesOf)),
  };
}

/** Adds up what several threads have counted for the same API and status class. */
export function sumOfAnswers(lists: readonly (readonly AnswerSeries[])[]): readonly AnswerSeries[] {
  const sums = new Map<string, AnswerSeries>();
  for (const series of lists.flat()) {
    const key = `${series.api} ${series.statusClass}`;
    const before = sums.get(key);
    sums.set(key, before === undefined ? series : together(before, series));
  }
  return [...sums.values()];
}

function together(one: AnswerSeries, other: AnswerSeries): AnswerSeries {
  return {
    ...one,
    cumulative: one.cumulative.map((count, at) => count + (other.cumulative[at] ?? 0)),
    sumSeconds: one.sumSeconds + other.sumSeconds,
  };
}

function seriesOf({ api, statusClass, counts, sum }: Cell): AnswerSeries {
  let total = 0;
  const cumulative = Array.from(counts, (count) => {
    total += count;
    return total;
  });
  return { api, statusClass, cumulative, sumSeconds: sum / 1000 };
}
