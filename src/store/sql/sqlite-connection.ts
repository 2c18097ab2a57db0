// One connection to an SQLite file, with its settings and prepared statements. Used by the writer thread and,
// for reading, by the main thread.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlRow, Statement } from './intent.ts';

/** How long a statement waits for a write of another process. Millis. */
const busyTimeout = 5000;

export interface SqliteConnection {
  readonly database: DatabaseSync;
  /** Runs a statement and gives its rows. Prepared once for each text. */
  run(statement: Statement): readonly SqlRow[];
}

/** @throws Error of node:sqlite when the file cannot be opened */
export function connectSqlite(path: string, options: { readonly readOnly: boolean }): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: busyTimeout });
  database.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;');
  const prepared = new Map<string, StatementSync>();
  return {
    database,
    run({ sql, params }) {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        prepared.set(sql, statement);
      }
      return statement.all(...params) as unknown as readonly SqlRow[];
    },
  };
}
