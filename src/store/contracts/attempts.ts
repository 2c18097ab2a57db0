import type { Millis } from '../../platform/clock.ts';

/** A counter of attempts that one guess counts against. */
export interface AttemptLimit {
  /** For example `password:<authenticator id>`, `totp:<identity id>`, `source:<prefix>`. */
  readonly key: string;
  /** Attempts that may be open or have failed; the one that reaches this locks the key. */
  readonly max: number;
  /** How long the key is then refused. The length doubles with each lock that follows without a success between. */
  readonly lockFor: Millis;
  /** No lock grows longer than this; equal to `lockFor` for a lock that does not grow. */
  readonly longestLock: Millis;
  /** After so many locks without a success between, the key stays locked until it is cleared. */
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
   * guesses no more than `max` are let through. When one limit is reached nothing is counted at all. A lock begins
   * with the attempt that reaches the limit; when it has ended, the next `max` attempts are let through.
   */
  reserve(limits: readonly AttemptLimit[], now: Millis): Promise<ReserveOutcome>;
  /** Forgets the failures and locks of the keys: after a success, or by an administrator. */
  clear(keys: readonly string[]): Promise<void>;
  /**
   * Takes back the one attempt that a success had reserved on keys that a success does not clear. A lock that this
   * attempt had reached, or others that were open with it, ends: right ones that come together must not lock.
   */
  release(keys: readonly string[]): Promise<void>;
  /** Until when the key is locked, or null. */
  lockedUntil(key: string, now: Millis): Promise<Millis | null>;
}
