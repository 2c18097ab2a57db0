import type { Millis } from '../../platform/clock.ts';

export interface ExpiryStore {
  /**
   * Deletes at most `batch` rows whose time has passed: auth requests, sessions and their certificates, setup links, removed keys, and
   * change-feed entries older than an hour. Safe to run on every node at once.
   * @returns how many went; less than `batch` means nothing is left to do
   */
  deleteExpired(now: Millis, batch: number): Promise<number>;
}
