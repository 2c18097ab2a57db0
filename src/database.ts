// Which database the configuration means, and what can be done to it as a whole. With services.ts and
// foundations.ts the only place that knows the implementation of the store.

import { existsSync } from 'node:fs';
import type { Config } from './config/config.ts';
import type { Store } from './store/contracts/store.ts';
import { backupSqlite, checkSqlite } from './store/sql/backup.ts';
import { SchemaError, schemaVersion } from './store/sql/migrate.ts';
import { openSqliteStore } from './store/sql/open-sqlite.ts';
import { AlreadyRunning, acquireRunLock } from './store/sql/run-lock.ts';

export { AlreadyRunning, SchemaError, schemaVersion };

/** The configuration names a database that this build cannot use. */
export class UnsupportedDatabase extends Error {
  override readonly name = 'UnsupportedDatabase';
}

/** There is no database yet. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase';
}

/**
 * Opens the store; the database is created, or migrated to this release, when it has to be.
 * @throws UnsupportedDatabase, SchemaError (written by a newer release), or Error: it cannot be opened
 */
export async function openStore(config: Config): Promise<Store> {
  return openSqliteStore({ path: sqliteFile(config) });
}

/** @throws UnsupportedDatabase */
export function sqliteFile({ db }: Config): string {
  if (db.engine === 'sqlite') return db.file;
  throw new UnsupportedDatabase('This build has no PostgreSQL yet; use a database of the form sqlite:FILE.');
}

/**
 * Claims the database for this process: an SQLite database belongs to one running controller. Ends with the
 * process, however it ends.
 * @throws AlreadyRunning, UnsupportedDatabase
 */
export function claimDatabase(config: Config): { release(): void } {
  return acquireRunLock(sqliteFile(config));
}

/**
 * Copies the database as of one moment, beside a running controller too. An existing file is not replaced.
 * @throws UnsupportedDatabase, NoDatabase, or Error: the copy cannot be written
 */
export async function backupDatabase(config: Config, target: string): Promise<void> {
  await backupSqlite(existingFile(config), target);
}

/**
 * Looks for damage, beside a running controller too.
 * @returns one sentence for each finding; empty when the database is sound
 * @throws UnsupportedDatabase, NoDatabase
 */
export function checkDatabase(config: Config): readonly string[] {
  return checkSqlite(existingFile(config));
}

function existingFile(config: Config): string {
  const file = sqliteFile(config);
  if (!existsSync(file)) throw new NoDatabase(`There is no database at ${file}.`);
  return file;
}
