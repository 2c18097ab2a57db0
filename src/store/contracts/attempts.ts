import type { Millis } from '../../platform/clock.ts';

/** A counter of attempts that one guess counts against. */
export interface AttemptLimit {
  /** For example `password:<authenticator id>`, `totp:<identity id>`, `source:<prefix>`. */
  readonly key: string;
  /** Attempts that may be open or have failed; the last of them locks the key. */
  readonly max: number;
  /** How long the key is then refused. The length doubles with each lock that follows without a success between. */
  readonly lockFor: Millis;
  /** No lock grows longer than this; equal to `lockFor` for a lock that does not grow. */
  readonly longestLock: Millis;
  /** After this many locks without a success in between, the key stays locked until it is cleared. */
  readonly mostLocks?: number;
  /** Failures older than this no longer count. */
  readonly forgetAfter: Millis;
}

export type ReserveOutcome =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'refused'; readonly key: string; readonly until: Millis };

export interface AttemptStore {
  /**
   * Counts one attempt against every limit, before it is evaluated, in one durable step: of any number of parallel
   * guesses at most `max` get through. When a limit is reached, the attempt counts only against those that
   * come after it, and the last one that is reached is named. The attempt that reaches `max` locks the key, until it is
   * released.
   */
  reserve(limits: readonly AttemptLimit[], now: Millis): Promise<ReserveOutcome>;
  /** Forgets the failures and locks of the keys: after a success, or by an administrator. */
  clear(keys: readonly string[]): Promise<void>;
  /** Takes back one attempt that was reserved, and the lock that it brought. */
  release(keys: readonly string[]): Promise<void>;
  /** Until when the key is locked, or null. */
  lockedUntil(key: string, now: Millis): Promise<Millis | null>;
}
