// The only file that opens an SQLite database for the service.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { createWhole, removeAbandoned } from '../../platform/create-whole.ts';
import type { Store } from '../contracts/store.ts';
import {
  migrateSqlite,
  ourSchema,
  type StoredVersion,
  schemaVersionOfSqlite,
} from '../migrations/migrate.ts';
import { requireShapeOfSqlite } from '../migrations/shape.ts';
import { sqlStore } from '../sql/store.ts';
import { openSqliteEngine, type SqliteEngineOptions } from './engine.ts';
import { runsElsewhere } from './run-lock.ts';

/** The database file exists but is empty. Continuing would silently start over. */
export class EmptiedDatabase extends Error {
  override readonly name = 'EmptiedDatabase';
}

/**
 * Opens the embedded store, and creates or migrates the database first.
 * @throws EmptiedDatabase  the file exists and has no bytes
 * @throws SchemaError      a newer release or another program made the database
 * @throws NodesInTheWay    a running controller could not continue after the migration
 * @throws Error            the file cannot be created or is not a database
 */
export async function openSqliteStore(
  options: Pick<SqliteEngineOptions, 'path' | 'startWriter'>,
): Promise<Store> {
  const { path } = options;
  // SQLite would make the file readable for every user; its companion files copy its mode. The file gets its name only
  // once it contains a schema, so an empty file is never one of ours. If several processes create it at once, one is
  // first.
  if (existsSync(path)) removeAbandoned(dirname(path));
  else await createWhole(path, (partial) => migrate(partial, () => false));
  refuseEmptied(path);
  migrate(path, () => runsElsewhere(path));
  return sqlStore(openSqliteEngine(options));
}

/** For a thread other than the one that opened the database. @param needs.joinWriter see `SqliteEngineOptions` */
export function openSqliteThreadStore(needs: { path: string; joinWriter: () => MessagePort }): Store {
  return sqlStore(openSqliteEngine(needs));
}

function migrate(path: string, isInUse: () => boolean): void {
  using database = new DatabaseSync(path, { timeout: 5000 });
  migrateSqlite(database, ourSchema, isInUse);
  requireShapeOfSqlite(database);
  // Write-ahead logging: readers never wait for the writer. The file keeps this setting.
  database.exec('PRAGMA journal_mode = WAL');
}

/** Whether the file was emptied. SQLite would take it for a new database. */
export function isEmptied(path: string): boolean {
  return existsSync(path) && statSync(path).size === 0;
}

function refuseEmptied(path: string): void {
  if (isEmptied(path)) throw new EmptiedDatabase(`${path} is empty: its contents are gone`);
}

/** For a database that has been migrated already. */
export function sqliteSchemaVersion(path: string): StoredVersion {
  refuseEmptied(path);
  using database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  return schemaVersionOfSqlite(database);
}
