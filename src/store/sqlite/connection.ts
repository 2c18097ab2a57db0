// One connection to an SQLite file, with its settings and prepared statements. The writer thread uses it, and other
// threads for reading.

import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { recentMap } from '../../platform/caches.ts';
import type { Millis } from '../../platform/clock.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';

export type SqliteConnection = ReturnType<typeof connectSqlite>;

const readonlyDbMoved = 1032; // SQLITE_READONLY_DBMOVED

/** Enough for the fixed texts of intents and reads. The many texts of filtered lists come and go. */
const prepareAtLeast = 200;

/**
 * @param options.busyTimeout how long a statement waits, blocking its thread, for another connection
 * @throws Error of node:sqlite when the file cannot be opened
 */
export function connectSqlite(
  path: string,
  options: { readonly readOnly: boolean; readonly busyTimeout: Millis },
) {
  const database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: options.busyTimeout });
  const opened = fileAt(path);
  // FULL: an acknowledged commit survives a power loss.
  database.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;');
  database.function('lower_case', { deterministic: true, directOnly: true }, (value) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  );
  const prepared = recentMap<string, StatementSync>(prepareAtLeast);

  function statement(sql: string): StatementSync {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const fresh = database.prepare(sql);
    prepared.set(sql, fresh);
    return fresh;
  }

  return {
    database,
    /** Runs a statement and returns its rows. Recently used statements stay prepared. */
    run: ({ sql, params }: Statement) => statement(sql).all(...params) as unknown as readonly SqlRow[],
    /** Runs a statement without parameters and rows. */
    execute: (sql: string) => void statement(sql).run(),
    /**
     * What is written to a file that was removed or replaced is lost, and other processes use the one at its path.
     * @throws Error with the `errcode` of SQLite for that
     */
    requireInPlace() {
      if (fileAt(path) === opened) return;
      const message = `the file ${path} was removed or replaced while it was in use: restart the controller`;
      throw Object.assign(new Error(message), { errcode: readonlyDbMoved });
    },
  };
}

/** Which file that is, of all on the machine. */
function fileAt(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return 'none';
  }
}
