// The deny set: sessions that ended while tokens of theirs are still unexpired.

import type { ApiSessionId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import type { EndedSession } from '../store/contracts/api-sessions.ts';

export interface EndedSessions {
  has(id: string): boolean;
  /** @param until Millis; when the last token of the session has expired */
  add(id: ApiSessionId, until: Millis): void;
  /** Lets go of what has passed. */
  prune(now: Millis): void;
  readonly size: number;
}

/** @param ended what the store knows at start; must be complete before the first request is served */
export function endedSessions(ended: readonly EndedSession[]): EndedSessions {
  const until = new Map<string, Millis>(ended.map((session) => [session.id, session.expiresAt]));
  return {
    has: (id) => until.has(id),
    add: (id, end) => void until.set(id, end),
    prune(now) {
      for (const [id, end] of until) if (end <= now) until.delete(id);
    },
    get size() {
      return until.size;
    },
  };
}
