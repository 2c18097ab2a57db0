import type { Millis } from '../../platform/clock.ts';

export interface ExpiryStore {
  /**
   * Deletes at most `batch` expired rows: auth requests, sessions and their certificates, setup links, removed keys,
   * and change-feed entries older than an hour. Safe to run on every node at once.
   * @returns how many were deleted; less than `batch` means that nothing is left to do
   */
  deleteExpired(now: Millis, batch: number): Promise<number>;
}
