import type { Millis } from '../../platform/clock.ts';

/** A counter that a guess counts against. */
export interface AttemptLimit {
  /** For example `password:<authenticator id>`, `totp:<identity id>`, `source:<prefix>`. */
  readonly key: string;
  /** Attempts that may be under way or have failed. The last of them locks the key. */
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

export type ReserveOutcome =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'refused'; readonly key: string; readonly until: Millis };

export interface AttemptStore {
  /**
   * Counts one attempt against every limit, before it is evaluated, in one durable step: of any number of parallel
   * guesses, at most `max` get through. If a limit is reached, the attempt counts only against the limits after it in
   * the list; the last limit reached is returned. The attempt that reaches `max` locks the key until it is released.
   */
  reserve(limits: readonly AttemptLimit[], now: Millis): Promise<ReserveOutcome>;
  /** Forgets the failures and locks of the keys, after a success or for an administrator. */
  clear(keys: readonly string[]): Promise<void>;
  /** Whether `clear` would forget anything. */
  areCounted(keys: readonly string[]): Promise<boolean>;
  /** Takes back one reserved attempt, and the lock that it caused. */
  release(keys: readonly string[]): Promise<void>;
  /** Until when the key is locked, or null. */
  lockedUntil(key: string, now: Millis): Promise<Millis | null>;
}
