// The foundations of a controller, opened by the configuration: the store, the key-encryption key, the threads for
// password hashes. Commands that work beside a running controller open the same parts.

import type { Config } from '../config/config.ts';
import type { AnswerInspector } from '../http/server/mount.ts';
import { longestOffset } from '../model/clock-offset.ts';
import { type Clock, isoTime } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Random } from '../platform/random.ts';
import { createHashPool, type HashPool } from '../platform/secrets/hash-pool.ts';
import { openVault } from '../platform/secrets/key-files.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { Store } from '../store/contracts/store.ts';
import { databaseVersion, isOpenToListeners, openStore, schemaVersion } from './database.ts';
import { hashThreads, requestThreads } from './thread-count.ts';
import type { FirstThread, OtherThreads } from './thread-roles.ts';

/** Closing them closes the store and ends the hash threads. */
export interface OpenFoundations extends Foundations, AsyncDisposable {}

/** Dependencies of a controller from outside. */
export interface Foundations {
  readonly config: Config;
  readonly store: Store;
  /** Seals under the key-encryption key, and opens secrets that were sealed under the previous or the next one. */
  readonly vault: KeyVault;
  readonly hashPool: HashPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Roots (PEM) that are trusted when fetching signers' keys, in addition to those of the machine. */
  readonly trustedRoots?: readonly string[];
  /** Called with every answer of an endpoint. */
  readonly inspectAnswer?: AnswerInspector;
  /** In the first thread of a controller that has several. */
  readonly others?: OtherThreads;
  /** In each of the other threads: the services of the first one. */
  readonly first?: FirstThread;
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
  const { config, env } = needs;
  const vault = openVault(config.secrets.keyFile, env);
  const store = await openStore(config, { threads: requestThreads(config) });
  try {
    return await foundationsOn(needs, { store, vault });
  } catch (error) {
    // Its thread or connections would keep a process going that has said why it cannot start.
    await store.close();
    throw error;
  }
}

async function foundationsOn(
  { config, clock, random, log, env }: FoundationNeeds,
  { store, vault }: Pick<Foundations, 'store' | 'vault'>,
): Promise<OpenFoundations> {
  const { version } = await databaseVersion(config);
  if (version > schemaVersion)
    log.warn('a newer release has changed the database; this one can work on it', {
      event: 'store.newer',
      version,
      known: schemaVersion,
    });
  const lastSeen = Math.max(0, ...(await store.nodes.listAll()).map(({ lastSeenAt }) => lastSeenAt));
  if (lastSeen > clock.now() + longestOffset)
    log.warn('the clock is earlier than when a controller last ran on this database: set it right (NTP)', {
      event: 'clock.early',
      lastSeen: isoTime(lastSeen),
    });
  if (isOpenToListeners(config, env))
    log.warn(
      'the database is asked in the clear: add sslmode=verify-full to db, or sslmode=disable to keep it',
      { event: 'store.unencrypted' },
    );
  const hashPool = createHashPool(
    { clock },
    { threads: hashThreads(config), cost: config.edge.passwordHash },
  );
  return {
    config,
    store,
    vault,
    hashPool,
    clock,
    random,
    log,
    async [Symbol.asyncDispose]() {
      await hashPool.close();
      await store.close();
    },
  };
}
