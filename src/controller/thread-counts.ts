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
      const sumOf = (count: 'inUse' | 'limit' | 'waiting' | 'uses' | 'seconds') =>
        sum(used.map((one) => one[count]));
      return {
        pool,
        inUse: sumOf('inUse'),
        limit: sumOf('limit'),
        waiting: sumOf('waiting'),
        uses: sumOf('uses'),
        seconds: sumOf('seconds'),
      };
    }),
    telemetry: {
      spansSent: sum(threads.map(({ telemetry }) => telemetry.spansSent)),
      spansLost: sum(threads.map(({ telemetry }) => telemetry.spansLost)),
      failures: sum(threads.map(({ telemetry }) => telemetry.failures)),
    },
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
