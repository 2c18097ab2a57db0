// The counts of each request thread, and the sum over all of them.

import { sumOfAnswers, sumOfCounts } from '../explain/counts.ts';
import type { MetricCounts } from '../http/server/metrics.ts';
import { poolNames } from '../model/metrics.ts';

export type ThreadCounts = MetricCounts;

/** Adds counts up; of other values takes the worst. */
export function sumOfThreads(threads: readonly ThreadCounts[]): ThreadCounts {
  return {
    auditEvents: sumOfCounts(threads.map(({ auditEvents }) => auditEvents)),
    loginAttempts: sumOfCounts(threads.map(({ loginAttempts }) => loginAttempts)),
    answers: sumOfAnswers(threads.map(({ answers }) => answers)),
    eventLoopDelay: Math.max(0, ...threads.map(({ eventLoopDelay }) => eventLoopDelay)),
    isBehind: threads.some(({ isBehind }) => isBehind),
    pools: poolNames.map((pool) => {
      const used = threads.flatMap(({ pools }) => pools.filter((one) => one.pool === pool));
      return { pool, ...sums(used, ['inUse', 'limit', 'waiting', 'uses', 'seconds']) };
    }),
    telemetry: sums(
      threads.map(({ telemetry }) => telemetry),
      ['spansSent', 'spansLost', 'failures'],
    ),
  };
}

/** The counts of a thread that has died, without the work that it had in hand. */
export function countsOfDead(last: ThreadCounts): ThreadCounts {
  const pools = last.pools.map((pool) => ({ ...pool, inUse: 0, limit: 0, waiting: 0 }));
  return { ...last, eventLoopDelay: 0, isBehind: false, pools };
}

function sums<Name extends string>(
  counts: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): Record<Name, number> {
  const sumOf = (name: Name) => counts.reduce((sum, count) => sum + count[name], 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as Record<Name, number>;
}
