// A version for each API session, in memory that all threads of the process share. A thread that remembers the row of a
// session asks here whether it has changed, which costs much less than reading the row again.

import type { DatabaseSync } from 'node:sqlite';

/** Sessions share counters: one that changes outdates a few others with it. */
const counters = 2 ** 16;

export type SessionVersions = Int32Array<SharedArrayBuffer>;

export function newSessionVersions(): SessionVersions {
  return new Int32Array(new SharedArrayBuffer(counters * Int32Array.BYTES_PER_ELEMENT));
}

/** A number that differs once a change of the session's row is committed. */
export function sessionVersion(versions: SessionVersions, id: string): number {
  return Atomics.load(versions, counterOf(id));
}

/**
 * Notes which rows change on the connection that writes.
 * @param database migrated
 * @returns raises the versions of the sessions that have changed since the last call. Call it after the commit: raised
 * earlier, a version would let the old row pass for the new one. Call it before listeners hear of the commit. It does
 * no harm after a transaction that was rolled back.
 */
export function raiseSessionVersions(database: DatabaseSync, versions: SessionVersions): () => void {
  const changed = new Set<number>();
  database.function('session_changed', (id) => {
    changed.add(counterOf(String(id)));
    return null;
  });
  // Temporary triggers belong to this connection. They see each change, whichever statement makes it.
  database.exec(`
    CREATE TEMP TRIGGER session_updated AFTER UPDATE ON api_sessions BEGIN SELECT session_changed(OLD.id); END;
    CREATE TEMP TRIGGER session_deleted AFTER DELETE ON api_sessions BEGIN SELECT session_changed(OLD.id); END`);
  // A thread that wrote before this one may have died between its last commit and this step.
  for (let at = 0; at < counters; at += 1) Atomics.add(versions, at, 1);
  return () => {
    for (const at of changed) Atomics.add(versions, at, 1);
    changed.clear();
  };
}

/** FNV-1a, cut to the number of counters. */
function counterOf(id: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) sum = Math.imul(sum ^ id.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 16)) & (counters - 1);
}
