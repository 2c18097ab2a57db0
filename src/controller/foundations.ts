// What a controller is built on, opened by the configuration: the store, the key-encryption key, the threads for
// password hashes. Commands that work beside a running controller open the same parts.

import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Random } from '../platform/random.ts';
import { createHashPool } from '../platform/secrets/hash-pool.ts';
import { openVault } from '../platform/secrets/key-files.ts';
import { keyPassphrase, readKeyFile } from '../platform/secrets/master-key.ts';
import { databaseVersion, isOpenToListeners, openStore, schemaVersion } from './database.ts';
import type { Foundations } from './services.ts';
import { hashThreads, requestThreads } from './thread-count.ts';

export interface OpenFoundations extends Foundations {
  /** Closes the store and ends the hash threads. */
  close(): Promise<void>;
}

export interface FoundationNeeds {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Contains the passphrase of the key file, if it has one. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens everything, or nothing. @throws KeyFileError, or as openStore of database.ts */
export async function openFoundations(needs: FoundationNeeds): Promise<OpenFoundations> {
  const { config, clock, random, log, env } = needs;
  const masterKey = readKeyFile(config.secrets.keyFile, { passphrase: keyPassphrase(env) }).bytes;
  const store = await openStore(config, { threads: requestThreads(config) });
  const { version } = await databaseVersion(config);
  if (version > schemaVersion) {
    log.warn('a newer release has changed the database; this one can work on it', {
      event: 'store.newer',
      version,
      known: schemaVersion,
    });
  }
  if (isOpenToListeners(config, env)) {
    log.warn(
      'the database is asked in the clear: add sslmode=verify-full to db, or sslmode=disable to keep it',
      {
        event: 'store.unencrypted',
      },
    );
  }
  const hashPool = createHashPool(
    { clock },
    { threads: hashThreads(config), cost: config.edge.passwordHash },
  );
  return {
    config,
    store,
    masterKey,
    vault: openVault(config.secrets.keyFile, env),
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
