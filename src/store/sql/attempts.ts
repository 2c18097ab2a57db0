// Counters of attempts. One durable step counts an attempt and says whether its outcome still matters.

import { DAY, type Millis } from '../../platform/clock.ts';
import { type AttemptLimit, type AttemptStore, type CountOutcome, lockEnd } from '../contracts/attempts.ts';
import { integer, text } from './codec.ts';
import { concern } from './concern.ts';
import { all, among, type Intent, run, type SqlRow, sql } from './intent.ts';

export const attempts = concern<AttemptStore>()({
  writes: { count: countAttempt, clear: clearAttempts },
  methods: ({ read, find }) => ({
    async areCounted(keys) {
      const counted = sql`SELECT key FROM attempts WHERE key IN ${among(keys)} AND (failures > 0 OR locks > 0)`;
      return (await read(counted.sql, ...counted.params)).length > 0;
    },
    lockedUntil: (key, now) =>
      find(
        (row) => integer(row, 'locked_until'),
        'SELECT locked_until FROM attempts WHERE key = ? AND locked_until > ?',
        key,
        now,
      ),
  }),
});

/** As `AttemptStore.count`, in the step of what it counts. */
export function* countAttempt(
  ...[limits, failures, now]: Parameters<AttemptStore['count']>
): Intent<CountOutcome> {
  // One read and one write for all counters: other requests from the same source wait meanwhile.
  const keys = limits.map(({ key }) => key);
  const rows = yield* all`SELECT * FROM attempts WHERE key IN ${among(keys)}`;
  const found = limits.map((limit) => {
    const stored = rows.find((row) => text(row, 'key') === limit.key);
    const counter = counterOf(limit, stored, now);
    // The limit was higher when these attempts were counted.
    const isOverdue = counter.lockedUntil <= now && counter.failures >= limit.max;
    return { limit, counter: isOverdue ? lock(limit, counter, now) : counter, isOverdue };
  });
  const refusedAt = found.findLastIndex(({ counter }) => counter.lockedUntil > now);
  const kept = found.flatMap(({ limit, counter, isOverdue }, at): Kept[] => {
    if (at <= refusedAt || failures === 0) return isOverdue ? [{ limit, counter }] : [];
    const counted = { ...counter, failures: counter.failures + failures };
    // The lock begins with the last failure. The attempt after it may come much later, and be right.
    return [{ limit, counter: counted.failures < limit.max ? counted : lock(limit, counted, now) }];
  });
  yield* keep(kept, now);
  const refused = found[refusedAt];
  return refused === undefined
    ? { outcome: 'counted' }
    : { outcome: 'refused', key: refused.limit.key, until: refused.counter.lockedUntil };
}

interface Counter {
  readonly failures: number;
  readonly locks: number;
  readonly lockedUntil: Millis;
}

/** Means "for ever". */
const untilCleared = 36_500 * DAY;

const fresh: Counter = { failures: 0, locks: 0, lockedUntil: 0 };

function lock(limit: AttemptLimit, { failures, locks }: Counter, now: Millis): Counter {
  return { failures, locks: locks + 1, lockedUntil: now + lockLength(limit, locks) };
}

function lockLength(limit: AttemptLimit, earlierLocks: number): Millis {
  if (limit.mostLocks !== undefined && earlierLocks + 1 >= limit.mostLocks) return untilCleared;
  return Math.min(limit.lockFor * 2 ** Math.min(earlierLocks, 20), limit.longestLock);
}

function counterOf(limit: AttemptLimit, row: SqlRow | undefined, now: Millis): Counter {
  if (row === undefined || integer(row, 'forget_at') <= now) return fresh;
  const locks = integer(row, 'locks');
  const lockedUntil = integer(row, 'locked_until');
  // A lock that has ended clears the failures that caused it.
  if (lockedUntil > 0 && lockEnd(limit, lockedUntil, now) === null)
    return { failures: 0, locks, lockedUntil: 0 };
  return { failures: integer(row, 'failures'), locks, lockedUntil };
}

interface Kept {
  readonly limit: AttemptLimit;
  readonly counter: Counter;
}

function* keep(kept: readonly Kept[], now: Millis): Intent<void> {
  if (kept.length === 0) return;
  yield* run(
    `INSERT INTO attempts (key, failures, locks, locked_until, forget_at)
     VALUES ${kept.map(() => '(?, ?, ?, ?, ?)').join(', ')}
     ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, locks = excluded.locks,
       locked_until = excluded.locked_until, forget_at = excluded.forget_at`,
    ...kept.flatMap(({ limit, counter }) => [
      limit.key,
      counter.failures,
      counter.locks,
      counter.lockedUntil,
      Math.max(now, counter.lockedUntil) + limit.forgetAfter,
    ]),
  );
}

export function* clearAttempts(keys: readonly string[]): Intent<void> {
  if (keys.length === 0) return;
  yield* run`DELETE FROM attempts WHERE key IN ${among(keys)}`;
}
