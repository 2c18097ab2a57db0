// Deny sets: what was withdrawn while its tokens are still unexpired. One contains the API sessions that ended, the
// other the single access tokens that an administrator revoked.

import type { Millis } from '../platform/clock.ts';

export interface DenySet {
  has(id: string): boolean;
  /** @param until Millis; when the last affected token has expired */
  add(id: string, until: Millis): void;
  remove(id: string): void;
  /** Removes expired entries. */
  prune(now: Millis): void;
  readonly size: number;
}

/** @param denied what the store knows at start; must be complete before the first request is served */
export function denySet(denied: readonly { id: string; expiresAt: Millis }[] = []): DenySet {
  const until = new Map<string, Millis>(denied.map((entry) => [entry.id, entry.expiresAt]));
  return {
    has: (id) => until.has(id),
    add: (id, end) => void until.set(id, end),
    remove: (id) => void until.delete(id),
    prune(now) {
      for (const [id, end] of until) if (end <= now) until.delete(id);
    },
    get size() {
      return until.size;
    },
  };
}
