// Counters of attempts: one durable step reserves an attempt before it is evaluated.

import { DAY, type Millis } from '../../platform/clock.ts';
import type { AttemptLimit, ReserveOutcome } from '../contracts/attempts.ts';
import { integer } from './codec.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

interface Counter {
  readonly failures: number;
  readonly locks: number;
  readonly lockedUntil: Millis;
}

/** In place of "for ever". */
const untilCleared = 36_500 * DAY;

const fresh: Counter = { failures: 0, locks: 0, lockedUntil: 0 };

export function* reserveAttempt(args: {
  readonly limits: readonly AttemptLimit[];
  readonly now: Millis;
}): Intent<ReserveOutcome> {
  const { limits, now } = args;
  const counters: Counter[] = [];
  for (const limit of limits) {
    const counter = counterOf(yield* first('SELECT * FROM attempts WHERE key = ?', limit.key), now);
    if (counter.lockedUntil > now) return { outcome: 'refused', key: limit.key, until: counter.lockedUntil };
    const hasServedLock = counter.lockedUntil > 0;
    counters.push(hasServedLock ? { failures: 0, locks: counter.locks + 1, lockedUntil: 0 } : counter);
  }
  for (const [at, limit] of limits.entries()) {
    const { failures, locks } = counters[at] ?? fresh;
    // The attempt that fills the counter locks it: should it succeed, its release unlocks again.
    const lockedUntil = failures + 1 >= limit.max ? now + lockLength(limit, locks) : 0;
    yield* keep(limit, { failures: failures + 1, locks, lockedUntil }, now);
  }
  return { outcome: 'reserved' };
}

function lockLength(limit: AttemptLimit, earlierLocks: number): Millis {
  if (limit.mostLocks !== undefined && earlierLocks + 1 >= limit.mostLocks) return untilCleared;
  return Math.min(limit.lockFor * 2 ** Math.min(earlierLocks, 20), limit.longestLock);
}

function counterOf(row: SqlRow | undefined, now: Millis): Counter {
  if (row === undefined || integer(row, 'forget_at') <= now) return fresh;
  return {
    failures: integer(row, 'failures'),
    locks: integer(row, 'locks'),
    lockedUntil: integer(row, 'locked_until'),
  };
}

function* keep(limit: AttemptLimit, counter: Counter, now: Millis): Intent<void> {
  yield* first(
    `INSERT INTO attempts (key, failures, locks, locked_until, forget_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, locks = excluded.locks,
       locked_until = excluded.locked_until, forget_at = excluded.forget_at`,
    limit.key,
    counter.failures,
    counter.locks,
    counter.lockedUntil,
    Math.max(now, counter.lockedUntil) + limit.forgetAfter,
  );
}

export function* clearAttempts(args: { readonly keys: readonly string[] }): Intent<void> {
  for (const key of args.keys) yield* first('DELETE FROM attempts WHERE key = ?', key);
}

export function* releaseAttempts(args: { readonly keys: readonly string[] }): Intent<void> {
  for (const key of args.keys) {
    yield* first(
      'UPDATE attempts SET failures = failures - 1, locked_until = 0 WHERE key = ? AND failures > 0',
      key,
    );
  }
}
