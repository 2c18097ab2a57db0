// Which database the configuration names, and operations on it as a whole. With services.ts and foundations.ts the only
// place that knows the implementation of the store.

import { existsSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { dbText } from '../config/file-shape.ts';
import { readPostgresHosts } from '../platform/network/postgres-hosts.ts';
import { readPostgresTls, staysOnMachine } from '../platform/network/postgres-tls.ts';
import { type Store, StoreUnavailable } from '../store/contracts/store.ts';
import {
  NodesInTheWay,
  refuseNewer,
  SchemaError,
  type StoredVersion,
  schemaVersion,
} from '../store/migrations/migrate.ts';
import { BackupExists, backupSqlite, checkSqlite } from '../store/sqlite/backup.ts';
import {
  EmptiedDatabase,
  openSqliteStore,
  openSqliteThreadStore,
  sqliteSchemaVersion,
} from '../store/sqlite/open.ts';
import { AlreadyRunning, acquireRunLock } from '../store/sqlite/run-lock.ts';

export {
  AlreadyRunning,
  BackupExists,
  EmptiedDatabase,
  NodesInTheWay,
  SchemaError,
  StoreUnavailable,
  schemaVersion,
};

/** This kind of database does not support the operation. */
export class UnsupportedDatabase extends Error {
  override readonly name = 'UnsupportedDatabase';
  /** The next step of the operator. */
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** There is no database yet. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase';
}

/**
 * Opens the store, and creates the database or migrates it to this release if necessary.
 * @param options.isPatient statements have no time limit: for work on the whole database
 * @param options.threads   number of threads that open it separately: they share the connections of one controller
 * @throws SchemaError (written by a newer release), NodesInTheWay (of a migration), StoreUnavailable, or Error: it
 *         cannot be opened
 */
export async function openStore(
  { db }: Config,
  options: { isPatient?: boolean; threads?: number } = {},
): Promise<Store> {
  if (db.engine === 'sqlite') return openSqliteStore({ path: db.file });
  const { openPostgresStore } = await postgres();
  return openPostgresStore({ ...db, ...options });
}

/**
 * Opens the store for a thread beside the one that has opened, and perhaps migrated, the database.
 * @param needs.threads    number of threads that share one controller's connections to a PostgreSQL server
 * @param needs.joinWriter a port to the thread that writes to an SQLite database, whenever one is needed
 */
export async function openThreadStore(
  { db }: Config,
  needs: { threads: number; joinWriter: () => MessagePort },
): Promise<Store> {
  if (db.engine === 'sqlite') return openSqliteThreadStore({ path: db.file, joinWriter: needs.joinWriter });
  const { openMigratedPostgresStore } = await postgres();
  return openMigratedPostgresStore({ ...db, threads: needs.threads });
}

/**
 * The schema version of the database, which may be newer than that of this release.
 * @throws NoDatabase, StoreUnavailable
 */
export async function databaseVersion(config: Config): Promise<StoredVersion> {
  const { db } = config;
  if (db.engine === 'sqlite') return sqliteSchemaVersion(existingFile(db.file));
  const { schemaVersionOf } = await postgres();
  const stored = await schemaVersionOf(db);
  if (stored === null) throw new NoDatabase(`There is no database at ${databaseName(config)}.`);
  return stored;
}

/** For work that must know every table. @throws SchemaError a newer release has changed the database */
export async function refuseNewerDatabase(config: Config): Promise<void> {
  refuseNewer(await databaseVersion(config));
}

/**
 * Whether traffic to the database leaves the machine unencrypted although the configuration does not ask for that.
 * @param env variables that apply where the URL says nothing
 */
export function isOpenToListeners(
  { db }: Config,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (db.engine === 'sqlite') return false;
  const url = new URL(db.url);
  const staysHere = readPostgresHosts(url).every(staysOnMachine);
  return readPostgresTls(url, env).protection === 'unasked' && !staysHere;
}

/** Loaded on use: an installation without PostgreSQL need not load its client. */
function postgres() {
  return import('../store/postgres/open.ts');
}

/** The name of the database for people to read; masks a password in it. */
export function databaseName({ db }: Config): string {
  return db.engine === 'sqlite' ? db.file : dbText(db);
}

export function databaseKind({ db }: Config): 'SQLite' | 'PostgreSQL' {
  return db.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
}

/**
 * Tests that the server does what the service relies on, without a look at what the database contains.
 * @throws StoreUnavailable, PostgresPoolerError
 */
export async function proveDatabase({ db }: Config): Promise<void> {
  if (db.engine === 'postgres') await (await postgres()).provePostgres(db);
}

/** Whether the database contains anything of ours. @throws StoreUnavailable */
export async function hasDatabase({ db }: Config): Promise<boolean> {
  if (db.engine === 'sqlite') return existsSync(db.file);
  const { schemaVersionOf } = await postgres();
  return (await schemaVersionOf(db)) !== null;
}

const insteadOnPostgres = {
  backup: [
    'PostgreSQL has its own backups: use pg_dump, or the archive of your server.',
    'when one is complete, run: overlay-auth ops db backed-up',
  ],
  restore: [
    'PostgreSQL is put back with its own tools, such as pg_restore.',
    'stop all controllers, put the database back, and run before they start: overlay-auth ops db restored',
  ],
  move: [
    'The database is on PostgreSQL already.',
    'to change the server, stop all controllers, copy the database with pg_dump and pg_restore, and correct db in the configuration',
  ],
} as const;

/** @throws UnsupportedDatabase */
export function sqliteFile({ db }: Config, work: keyof typeof insteadOnPostgres): string {
  if (db.engine === 'sqlite') return db.file;
  const [message, next] = insteadOnPostgres[work];
  throw new UnsupportedDatabase(message, next);
}

/**
 * Claims the database for this process: an SQLite database belongs to one running controller. The claim ends with the
 * process, however that ends. Any number of controllers may use a PostgreSQL database.
 * @throws AlreadyRunning
 */
export function claimDatabase({ db, edge }: Config): Disposable {
  if (db.engine !== 'sqlite') return { [Symbol.dispose]() {} };
  return acquireRunLock(db.file, edge.api.address);
}

/**
 * Copies the database as of one moment, even beside a running controller. Never replaces an existing file.
 * @throws UnsupportedDatabase, NoDatabase, BackupExists, or Error: the copy cannot be written
 */
export async function backupDatabase(config: Config, target: string): Promise<void> {
  await backupSqlite(existingFile(sqliteFile(config, 'backup')), target);
}

/**
 * Looks for damage, even beside a running controller.
 * @returns one sentence for each finding; empty when the database is sound
 * @throws NoDatabase, StoreUnavailable
 */
export async function checkDatabase(config: Config): Promise<readonly string[]> {
  const { db } = config;
  if (db.engine === 'sqlite') return checkSqlite(existingFile(db.file));
  const { version } = await databaseVersion(config);
  const { checkPostgres } = await import('../store/postgres/check.ts');
  return checkPostgres({ ...db, version });
}

function existingFile(file: string): string {
  if (!existsSync(file)) throw new NoDatabase(`There is no database at ${file}.`);
  return file;
}

/**
 * Copies everything from an SQLite database, which the caller has claimed, into an empty PostgreSQL database, and
 * compares the two. All or nothing.
 * @param copy.url        of the target
 * @param copy.onProgress called for each copied table
 * @param copy.putAside   see `copySqliteToPostgres`
 * @throws NoDatabase, UnsupportedDatabase (the source is not SQLite), SchemaError, StoreUnavailable
 */
export async function copyToPostgres(
  config: Config,
  copy: Readonly<{ url: string; onProgress: (table: string, rows: number) => void; putAside: () => void }>,
): Promise<void> {
  const path = existingFile(sqliteFile(config, 'move'));
  const { copySqliteToPostgres } = await import('../store/postgres/copy-from-sqlite.ts');
  await copySqliteToPostgres({ ...copy, path });
}
