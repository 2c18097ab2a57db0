// The only file that opens an SQLite database for the service.

import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from '../../platform/private-file.ts';
import type { Store } from '../contracts/store.ts';
import {
  migrateSqlite,
  ourSchema,
  type StoredVersion,
  schemaVersionOfSqlite,
} from '../migrations/migrate.ts';
import { sqlStore } from '../sql/store.ts';
import { openSqliteEngine } from './engine.ts';
import { runsElsewhere } from './run-lock.ts';

/**
 * Opens the embedded store, and creates or migrates the database first.
 * @throws SchemaError      the database was written by a newer release or by another program
 * @throws NodesInTheWay    a controller runs on it that could not go on after the migration
 * @throws Error            the file cannot be created or is no database
 */
export async function openSqliteStore({ path }: { readonly path: string }): Promise<Store> {
  // SQLite would make it readable for everybody; its own files beside it take their mode from it.
  createPrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    migrateSqlite(database, ourSchema, () => runsElsewhere(path));
    // Write-ahead logging: readers never wait for the writer. The setting stays with the file.
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
  return sqlStore(openSqliteEngine({ path }));
}

/** Of a database that was migrated once. */
export function sqliteSchemaVersion(path: string): StoredVersion {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return schemaVersionOfSqlite(database);
  } finally {
    database.close();
  }
}
