import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTimes, tally } from '../explain/counts.ts';
import { countsOfDead, sumOfThreads, type ThreadCounts } from './thread-counts.ts';

function counts(over: Partial<ThreadCounts>): ThreadCounts {
  const telemetry = { spansSent: 0, spansLost: 0, failures: 0 };
  const none = { auditEvents: [], loginAttempts: [], answers: [], pools: [], telemetry };
  return { ...none, eventLoopDelay: 0, isBehind: false, ...over };
}

test('the counts of threads are added up by their labels', () => {
  const [one, two] = [tally<{ event: never; method: never }>(), tally<{ event: never; method: never }>()];
  const labels = (event: string) => ({ event, method: 'none' }) as never;
  for (const event of ['a', 'b', 'a']) one.add(labels(event));
  for (const event of ['b', 'c']) two.add(labels(event));
  const { auditEvents } = sumOfThreads([one, two].map((each) => counts({ auditEvents: each.list() })));
  assert.deepEqual(
    auditEvents.map(({ labels: { event }, count }) => [event, count]),
    [
      ['a', 2],
      ['b', 2],
      ['c', 1],
    ],
  );
});

test('the answers of threads are added up by API, status and time', () => {
  const [one, two] = [answerTimes(), answerTimes()];
  one.observe('oidc', 200, 3);
  two.observe('oidc', 204, 3);
  two.observe('oidc', 404, 20_000);
  const { answers } = sumOfThreads([one, two].map((each) => counts({ answers: each.list() })));
  assert.deepEqual(
    answers.map(({ statusClass, cumulative, sumSeconds }) => [
      statusClass,
      cumulative[1],
      cumulative[2],
      cumulative.at(-1),
      sumSeconds,
    ]),
    [
      ['2xx', 0, 2, 2, 0.006],
      ['4xx', 0, 0, 1, 20],
    ],
  );
});

test('one thread that is behind or late is enough', () => {
  const sum = sumOfThreads([counts({ eventLoopDelay: 4 }), counts({ eventLoopDelay: 9, isBehind: true })]);
  assert.deepEqual([sum.eventLoopDelay, sum.isBehind], [9, true]);
  assert.equal(sumOfThreads([]).isBehind, false);
});

test('of a thread that died, its uses of the database stay, and neither its connections nor its lateness', () => {
  const pool = { pool: 'reads', inUse: 2, limit: 5, waiting: 3, uses: 70, seconds: 1.5 } as const;
  const died = countsOfDead(counts({ eventLoopDelay: 4, isBehind: true, pools: [pool] }));
  const { eventLoopDelay, isBehind, pools } = sumOfThreads([died, counts({ pools: [pool] })]);
  assert.deepEqual([eventLoopDelay, isBehind], [0, false]);
  assert.deepEqual(
    pools.find(({ pool }) => pool === 'reads'),
    { ...pool, uses: 140, seconds: 3 },
  );
});
