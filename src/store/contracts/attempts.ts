import type { Millis } from '../../platform/clock.ts';

/** A counter that a guess counts against. */
export interface AttemptLimit {
  /** For example `password:<authenticator id>`, `totp:<identity id>`, `source:<prefix>`. */
  readonly key: string;
  /** Attempts that may fail. The last of them locks the key. */
  readonly max: number;
  /** How long the key is locked. Doubles with each lock that follows without a success in between. */
  readonly lockFor: Millis;
  /** The longest that a lock becomes. Equal to `lockFor` for locks that do not grow. */
  readonly longestLock: Millis;
  /** After this many locks without a success in between, the key stays locked until it is cleared. */
  readonly mostLocks?: number;
  /** Older failures no longer count. */
  readonly forgetAfter: Millis;
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
  /** Until when the key is locked, or null. */
  lockedUntil(key: string, now: Millis): Promise<Millis | null>;
}
