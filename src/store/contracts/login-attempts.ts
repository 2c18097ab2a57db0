import type { ListQuery, Page } from '../../model/list-query.ts';
import type { LoginAttempt } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';

/** A record as administrators see it; the name is null when the identity is unknown or deleted. */
export type ListedAttempt = LoginAttempt & { readonly identityName: string | null };

/** How many records an hour has with one outcome. */
export interface HourlyCount {
  /** The beginning of the hour. */
  readonly from: Millis;
  readonly outcome: LoginAttempt['outcome'];
  readonly count: number;
}

export interface LoginAttemptStore {
  /**
   * Keeps decision records. With `keepAtMost` the oldest beyond that number go, a few hundred at most in one step; this
   * counts the records, which takes as long as there are many, so it is not for each call.
   */
  append(
    attempts: readonly (LoginAttempt & { readonly id: string })[],
    keepAtMost: number | null,
  ): Promise<void>;
  /** Every record with this reference id, in order: a login of several steps in one request has several. */
  findByReference(reference: string): Promise<readonly LoginAttempt[]>;
  list(query: ListQuery): Promise<Page<ListedAttempt>>;
  /** Full hours of UTC that have records from `since` on, the oldest first. */
  countByHour(since: Millis): Promise<readonly HourlyCount[]>;
  /** Deletes at most `batch` records from before `before`. */
  deleteBefore(before: Millis, batch: number): Promise<number>;
}
