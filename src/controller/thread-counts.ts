// The counts of each request thread, and the sum over all of them.

import { sumOfAnswers, sumOfCounts } from '../explain/counts.ts';
import type { MetricCounts } from '../http/server/metrics.ts';

export type ThreadCounts = MetricCounts;

/** Adds counts up; of other values takes the worst. */
export function sumOfThreads(threads: readonly ThreadCounts[]): ThreadCounts {
  return {
    auditEvents: sumOfCounts(threads.map(({ auditEvents }) => auditEvents)),
    loginAttempts: sumOfCounts(threads.map(({ loginAttempts }) => loginAttempts)),
    answers: sumOfAnswers(threads.map(({ answers }) => answers)),
    eventLoopDelay: Math.max(0, ...threads.map(({ eventLoopDelay }) => eventLoopDelay)),
    isBehind: threads.some(({ isBehind }) => isBehind),
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
