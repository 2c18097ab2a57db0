// The only file that opens an SQLite database for the service.

import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { createWhole } from '../../platform/private-file.ts';
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

/** There is a file where the database was, with nothing in it. Continuing would be starting over without saying so. */
export class EmptiedDatabase extends Error {
  override readonly name = 'EmptiedDatabase';
}

/**
 * Opens the embedded store, and creates or migrates the database first.
 * @throws EmptiedDatabase  the file is there and has no bytes
 * @throws SchemaError      the database was written by a newer release or by another program
 * @throws NodesInTheWay    a controller runs on it that could not continue after the migration
 * @throws Error            the file cannot be created or is no database
 */
export async function openSqliteStore({ path }: { readonly path: string }): Promise<Store> {
  // SQLite would make it readable for everybody; its own files beside it take their mode from it. It has its name only
  // with a schema in it, so that an empty file is never one of ours. Of several who make it at once one is first.
  if (!existsSync(path)) await createWhole(path, (partial) => migrate(partial, () => false));
  refuseEmptied(path);
  migrate(path, () => runsElsewhere(path));
  return sqlStore(openSqliteEngine({ path }));
}

/** Of a thread beside the one that has opened the database. @param needs.joinWriter see `SqliteEngineOptions` */
export function openSqliteStoreBeside(needs: {
  readonly path: string;
  readonly joinWriter: () => MessagePort;
}): Store {
  return sqlStore(openSqliteEngine(needs));
}

function migrate(path: string, isInUse: () => boolean): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    migrateSqlite(database, ourSchema, isInUse);
    // Write-ahead logging: readers never wait for the writer. The setting stays with the file.
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

/** Whether somebody has emptied the file: to SQLite that is a database which nobody has written to yet. */
export function isEmptied(path: string): boolean {
  return existsSync(path) && statSync(path).size === 0;
}

function refuseEmptied(path: string): void {
  if (isEmptied(path)) throw new EmptiedDatabase(`${path} is empty, and everything that was in it is gone`);
}

/** Of a database that was migrated once. */
export function sqliteSchemaVersion(path: string): StoredVersion {
  refuseEmptied(path);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return schemaVersionOfSqlite(database);
  } finally {
    database.close();
  }
}
