// What a controller stands on, opened as the configuration says: the store, the key-encryption key, the threads
// for password hashes. Commands that work beside a running controller open the same things.

import type { Config } from './config/config.ts';
import type { Clock } from './platform/clock.ts';
import { createHashPool } from './platform/hash-pool.ts';
import type { Logger } from './platform/logger.ts';
import { keyPassphrase, readKeyFile } from './platform/master-key.ts';
import type { Random } from './platform/random.ts';
import type { Foundations } from './services.ts';
import type { Store } from './store/contracts/store.ts';
import { SchemaError, schemaVersion } from './store/sql/migrate.ts';
import { openSqliteStore } from './store/sql/open-sqlite.ts';
import { AlreadyRunning, acquireRunLock } from './store/sql/run-lock.ts';

export { AlreadyRunning, SchemaError, schemaVersion };

export interface OpenFoundations extends Foundations {
  /** Lets go of the store and ends the hash threads. */
  close(): Promise<void>;
}

export interface FoundationNeeds {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Holds the passphrase of the key file, if it has one. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The configuration names a database that this build cannot use. */
export class UnsupportedDatabase extends Error {
  override readonly name = 'UnsupportedDatabase';
}

/**
 * Opens everything, or nothing. The database is created and migrated when it has to be.
 * @throws KeyFileError, UnsupportedDatabase, SchemaError (written by a newer release), or Error: no database
 */
export async function openFoundations(needs: FoundationNeeds): Promise<OpenFoundations> {
  const { config, clock, random, log, env } = needs;
  const masterKey = readKeyFile(config.secrets.keyFile, { passphrase: keyPassphrase(env) }).bytes;
  const store = await openStore(config);
  const hashPool = createHashPool({ clock });
  return {
    config,
    store,
    masterKey,
    hashPool,
    clock,
    random,
    log,
    async close() {
      await hashPool.close();
      await store.close();
    },
  };
}

/** @throws UnsupportedDatabase */
export function openStore(config: Config): Promise<Store> {
  return openSqliteStore({ path: sqliteFile(config) });
}

/** @throws UnsupportedDatabase */
export function sqliteFile({ db }: Config): string {
  if (db.engine === 'sqlite') return db.file;
  throw new UnsupportedDatabase('This build has no PostgreSQL yet; use a database of the form sqlite:FILE.');
}

/**
 * Claims the database for this process: a SQLite database belongs to one running controller. Ends with the
 * process, however it ends.
 * @throws AlreadyRunning another process has it
 */
export function claimDatabase(config: Config): { release(): void } {
  return acquireRunLock(sqliteFile(config));
}
