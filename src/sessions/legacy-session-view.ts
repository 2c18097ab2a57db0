// The recently used sessions of the legacy mechanism, in memory by the hash of their token. Their last use is kept here
// too and written in batches: a write for each call would cost more than the call.

import type { ApiSession } from '../model/api-session.ts';
import type { ApiSessionId } from '../model/ids.ts';
import { type Followed, recentView } from '../platform/caches.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { ApiSessionStore, SessionActivity } from '../store/contracts/api-sessions.ts';

export interface LegacySessionView extends Followed<ApiSessionId> {
  /** A live session, or null. Answers at once if it is in memory. */
  find(tokenHash: string): ApiSession | null | Promise<ApiSession | null>;
  /** Reads a session from the store, even if memory has it. */
  read(tokenHash: string): Promise<ApiSession | null>;
  /** Records that the session was used now, which extends its life. @returns the session as it is afterwards */
  touch(session: ApiSession): ApiSession;
  /**
   * Records the use of sessions over a connection that another party keeps (spec 5.6). Dead sessions stay dead.
   * @returns how many were alive
   */
  keepAlive(ids: readonly ApiSessionId[]): Promise<number>;
  /** Resolves when all recorded uses are in the store. */
  flush(): Promise<void>;
}

interface ActivityNeeds {
  readonly store: { readonly apiSessions: ApiSessionStore };
  readonly log: Logger;
}

/** How often activity is written. Other nodes may see the use of a session this much later. */
export const activityInterval: Millis = 10 * SECOND;
const batch = 500;

/**
 * @param timeout how long a session lives without being used, by the configuration in use
 * @param threads number of request threads: together they keep 100,000 sessions
 */
export function legacySessionView(
  needs: ActivityNeeds & { readonly clock: Clock },
  timeout: () => Millis,
  threads = 1,
): LegacySessionView {
  const { apiSessions } = needs.store;
  const hashes = new Map<ApiSessionId, string>();
  const known = recentView<string, Known>(Math.ceil(100_000 / threads), {
    keep(entry, hash) {
      hashes.set(entry.session.id, hash);
      return entry;
    },
    onDrop({ session }, hash) {
      if (hashes.get(session.id) === hash) hashes.delete(session.id);
    },
  });
  const inMemory = (id: ApiSessionId) => known.peek(hashes.get(id) ?? '');
  const unwritten = unwrittenActivity(needs);

  async function load(tokenHash: string): Promise<Known | null> {
    const row = await apiSessions.findByTokenHash(tokenHash);
    if (row === null || row.endedAt !== null) return null;
    const session = withActivity(row, unwritten.of(row.id));
    return session.expiresAt <= needs.clock.now() ? null : { session, writtenUntil: row.expiresAt };
  }
  const read = async (tokenHash: string) =>
    (await known.read(tokenHash, () => load(tokenHash)))?.session ?? null;

  function flush(): Promise<void> {
    return unwritten.flush(({ id, expiresAt }) => {
      const entry = inMemory(id);
      if (entry !== undefined) entry.writtenUntil = expiresAt;
    });
  }

  /** @returns also whether the store would consider the session expired before the next round */
  function note(session: ApiSession): { readonly used: ApiSession; readonly isUrgent: boolean } {
    const now = needs.clock.now();
    const entry = inMemory(session.id);
    const activity = { id: session.id, lastActivityAt: now, expiresAt: now + timeout() };
    unwritten.note(activity);
    // Memory already has every proof since this call began.
    const used = { ...(entry?.session ?? session), ...activity };
    if (entry !== undefined) entry.session = used;
    return { used, isUrgent: (entry?.writtenUntil ?? 0) - now <= 2 * activityInterval };
  }

  return {
    find(tokenHash) {
      const session = known.get(tokenHash)?.session;
      // A session that has expired as far as this node knows may have been used on another one.
      return session === undefined || session.expiresAt <= needs.clock.now() ? read(tokenHash) : session;
    },
    read,
    touch(session) {
      const { used, isUrgent } = note(session);
      if (isUrgent) void flush();
      return used;
    },
    async keepAlive(ids) {
      const remembered = new Map(ids.map((id) => [id, inMemory(id)?.session] as const));
      const missing = [...remembered.keys()].filter((id) => remembered.get(id) === undefined);
      const stored = missing.length === 0 ? [] : await apiSessions.listByIds(missing);
      const now = needs.clock.now();
      const alive = [...remembered.values(), ...stored].filter(
        (session): session is ApiSession =>
          session?.mechanism === 'legacy' &&
          session.endedAt === null &&
          Math.max(session.expiresAt, unwritten.of(session.id)?.expiresAt ?? 0) > now,
      );
      // One write for all of them.
      if (alive.map(note).some(({ isUrgent }) => isUrgent)) void flush();
      return alive.length;
    },
    // Ended, or its proven factors have changed. Recorded uses stay.
    changed: (id) => known.changed(hashes.get(id) ?? ''),
    allChanged: known.allChanged,
    flush,
  };
}

interface Known {
  session: ApiSession;
  /** Until when the store considers it alive. */
  writtenUntil: Millis;
}

/** Uses of sessions that are not written yet. Sessions that fall out of memory stay here. */
function unwrittenActivity({ store, log }: ActivityNeeds) {
  let dirty = new Map<ApiSessionId, SessionActivity>();
  let writing: Promise<void> = Promise.resolve();

  async function write(activity: readonly SessionActivity[]): Promise<void> {
    try {
      for (let at = 0; at < activity.length; at += batch)
        await store.apiSessions.recordActivity(activity.slice(at, at + batch));
    } catch (error) {
      log.error('the use of sessions could not be kept', { count: activity.length, error });
      for (const one of activity) if (!dirty.has(one.id)) dirty.set(one.id, one);
    }
  }

  return {
    of: (id: ApiSessionId) => dirty.get(id),
    note: (activity: SessionActivity) => void dirty.set(activity.id, activity),
    /** @param onTaken called with each use before it is written */
    flush(onTaken: (activity: SessionActivity) => void): Promise<void> {
      if (dirty.size === 0) return writing;
      const activity = [...dirty.values()];
      dirty = new Map();
      for (const one of activity) onTaken(one);
      writing = Promise.all([writing, write(activity)]).then(() => undefined);
      return writing;
    },
  };
}

function withActivity(session: ApiSession, activity: SessionActivity | undefined): ApiSession {
  if (activity === undefined || activity.lastActivityAt <= session.lastActivityAt) return session;
  return { ...session, lastActivityAt: activity.lastActivityAt, expiresAt: activity.expiresAt };
}
