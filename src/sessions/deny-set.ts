// Deny sets: what was withdrawn while tokens of it are still unexpired. One holds the API sessions that ended, one
// the access tokens that an administrator revoked by themselves.

import type { Millis } from '../platform/clock.ts';

export interface DenySet {
  has(id: string): boolean;
  /** @param until Millis; when the last token that is meant has expired */
  add(id: string, until: Millis): void;
  remove(id: string): void;
  /** Lets go of what has passed. */
  prune(now: Millis): void;
  readonly size: number;
}

/** What a deny set is filled with. */
export interface Denied {
  readonly id: string;
  readonly expiresAt: Millis;
}

/** @param denied what the store knows at start; must be complete before the first request is served */
export function denySet(denied: readonly Denied[] = []): DenySet {
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
