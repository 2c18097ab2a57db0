import type { ListBudget, ListQuery, Page } from '../../model/list-query.ts';
import type { LoginAttempt } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';
import type { QueuedEvent } from './deliveries.ts';

/** A record as administrators see it. The name is null when the identity is unknown or deleted. */
export type ListedAttempt = LoginAttempt & { readonly identityName: string | null };

/** How many records of one outcome an hour has. */
export interface HourlyCount {
  /** The beginning of the hour. */
  readonly from: Millis;
  readonly outcome: LoginAttempt['outcome'];
  readonly count: number;
}

export interface LoginAttemptStore {
  /**
   * Stores decision records. With `keepAtMost`, deletes those beyond that number, some hundreds per step: of those who
   * passed the oldest of the identity with the most, of those who were refused the oldest of the source or identity with
   * the most. Refusals take at most three quarters of the number, and never give way to logins that passed. Refused
   * requests take a quarter of the number in addition: the kind with the most loses its oldest. That counts the records, which takes longer the more there are, so do not ask for it with every call.
   * @param queued what event subscriptions get of them, queued in the same step
   */
  append(
    attempts: readonly (LoginAttempt & { readonly id: string })[],
    keepAtMost: number | null,
    queued?: readonly QueuedEvent[],
  ): Promise<void>;
  /** The first records with this reference id, in order: a request that performs several steps has several. */
  findByReference(reference: string): Promise<readonly ListedAttempt[]>;
  /** Without refused requests. */
  list(query: ListQuery): Promise<Page<ListedAttempt>>;
  /** Of logins: full hours of UTC that have records since `since`, the oldest first. */
  countByHour(since: Millis, budget: ListBudget): Promise<readonly HourlyCount[]>;
  /** Deletes at most `batch` records older than `before`. */
  deleteBefore(before: Millis, batch: number): Promise<number>;
}
