import { isLockedForGood } from '../../model/administrator.ts';
import { longestOffset } from '../../model/clock-offset.ts';
import type { Millis } from '../../platform/clock.ts';

/** A counter that a guess counts against. */
export interface AttemptLimit {
  /** For example `password:<authenticator id>`, `totp:<identity id>`, `source:<prefix>`. */
  readonly key: string;
  /** Attempts that may fail. The last of them locks the key. */
  readonly max: number;
  /** How long the key is locked. Doubles with each lock that follows without a success in between. */
  readonly lockFor: Millis;
  /**
   * The longest that a lock becomes. Equal to `lockFor` for locks that do not grow; `Infinity` where none may end early,
   * whatever the clock did.
   */
  readonly longestLock: Millis;
  /** After this many locks without a success in between, the key stays locked until it is cleared. */
  readonly mostLocks?: number;
  /** Older failures no longer count. */
  readonly forgetAfter: Millis;
}

/**
 * When a lock ends; null: it is over. A lock that ends later than any may was set by a clock that was ahead, and would
 * last as long as that was wrong.
 * @param lockedUntil as stored; null: there was none
 */
export function lockEnd(
  { longestLock }: Pick<AttemptLimit, 'longestLock'>,
  lockedUntil: Millis | null,
  now: Millis,
): Millis | null {
  if (lockedUntil === null || lockedUntil <= now) return null;
  // The node that set it may be as far ahead of the database as this one is behind.
  const isPossible = lockedUntil <= now + longestLock + 2 * longestOffset;
  return isPossible || isLockedForGood(lockedUntil, now) ? lockedUntil : null;
}

export type CountOutcome =
  | { readonly outcome: 'counted' }
  | { readonly outcome: 'refused'; readonly key: string; readonly until: Millis };

export interface AttemptStore {
  /**
   * Counts an attempt against every limit, in one durable step. Of any number of them at once, at most `max` failures
   * are counted before the key is locked, and none gets through after that. If a limit is reached, the attempt counts
   * only against the limits after it in the list; the last limit reached is returned. The failure that reaches `max`
   * locks the key.
   * @param failures 1, or 0 for an attempt that was right: it waits its turn among the others and changes nothing
   */
  count(limits: readonly AttemptLimit[], failures: 0 | 1, now: Millis): Promise<CountOutcome>;
  /** Forgets the failures and locks of the keys, after a success or for an administrator. */
  clear(keys: readonly string[]): Promise<void>;
  /** Whether `clear` would forget anything. */
  areCounted(keys: readonly string[]): Promise<boolean>;
  /** Until when the key is locked as stored, or null. `lockEnd` says whether that is possible. */
  lockedUntil(key: string, now: Millis): Promise<Millis | null>;
}
