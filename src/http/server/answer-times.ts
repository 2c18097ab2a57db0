import type { Millis, Seconds } from '../../platform/clock.ts';
import type { Api } from '../request/route.ts';

/** `none`: no endpoint has the path. */
export type AnsweredApi = Api | 'none';

/** Called for each answer. Its cost must be negligible, because it runs for every request. */
export type AnswerObserver = (api: AnsweredApi, status: number, duration: Millis) => void;

/** The answers of one API with statuses of one class. */
export interface AnswerSeries {
  readonly api: AnsweredApi;
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
  readonly api: AnsweredApi;
  readonly statusClass: string;
  readonly counts: Float64Array;
  sum: Millis;
}

/** Counts answers and how long they took, by API and status class: at most 40 series. */
export function answerTimes(): { readonly observe: AnswerObserver; list(): readonly AnswerSeries[] } {
  const cells = new Map<AnsweredApi, (Cell | undefined)[]>();

  function newCell(api: AnsweredApi, hundreds: number): Cell {
    const counts = new Float64Array(bucketLimits.length + 1);
    const cell = { api, statusClass: `${hundreds}xx`, counts, sum: 0 };
    const ofApi = cells.get(api) ?? [];
    ofApi[hundreds] = cell;
    cells.set(api, ofApi);
    return cell;
  }

  return {
    observe(api, status, duration) {
      const hundreds = Math.trunc(status / 100);
      const cell = cells.get(api)?.[hundreds] ?? newCell(api, hundreds);
      let bucket = 0;
      while (bucket < bucketLimits.length && duration > (bucketLimits[bucket] as number)) bucket += 1;
      cell.counts[bucket] = (cell.counts[bucket] as number) + 1;
      cell.sum += duration;
    },
    list: () =>
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
