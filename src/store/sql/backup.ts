// Online backup and checks of an SQLite database, beside a running controller.

import { closeSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

/** Copies the database, as of one moment, into a new file that only the owner can read. */
export async function backupSqlite(path: string, target: string): Promise<void> {
  // `wx`: a backup never overwrites another one.
  closeSync(openSync(target, 'wx', 0o600));
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(database, target);
  } finally {
    database.close();
  }
}

/** What is wrong with the file, one sentence each; empty when it is sound. */
export function checkSqlite(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const integrity = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row.integrity_check));
    const references = database.prepare('PRAGMA foreign_key_check').all();
    return [
      ...integrity.filter((line) => line !== 'ok'),
      ...references.map(
        (row) => `a row of ${String(row.table)} refers to a missing row of ${String(row.parent)}`,
      ),
    ];
  } finally {
    database.close();
  }
}
