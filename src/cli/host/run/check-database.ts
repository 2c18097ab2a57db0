import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config.ts';
import {
  databaseName,
  databaseVersion,
  NoDatabase,
  openStore,
  proveDatabase,
  StoreUnavailable,
  schemaVersion,
} from '../../../controller/database.ts';
import { nodeName } from '../../../controller/observation.ts';
import { issuersOf } from '../../../model/node.ts';
import type { Clock } from '../../../platform/clock.ts';
import { KeyFileError } from '../../../platform/secrets/key-file-format.ts';
import { openVault } from '../../../platform/secrets/key-files.ts';
import type { KeyVault } from '../../../platform/secrets/key-vault.ts';
import { SealBroken } from '../../../platform/secrets/sealed-box.ts';
import { rpIdOf } from '../../../platform/webauthn.ts';
import { openKeyRing } from '../../../tokens/key-ring.ts';
import { isNotAllowed } from '../failures.ts';

/**
 * Checks whether the key-encryption key belongs to the database, and changes nothing: the database of an older release
 * is not opened, because opening would migrate it.
 * @returns sentences about a database that could not be inspected, or that the start will change
 * @throws SealBroken it is another key; StoreUnavailable its server refuses us; SchemaError a release that this one cannot follow has changed the database;
 *         Error from the file system: there is no database, and none can be created there
 */
export async function checkDatabaseAndKey({
  config,
  clock,
  vault,
}: {
  config: Config;
  clock: Clock;
  vault: KeyVault;
}): Promise<readonly string[]> {
  const name = databaseName(config);
  try {
    await proveDatabase(config);
    if ((await databaseVersion(config)).version < schemaVersion)
      return [`${name} is from an older release, and the start upgrades it: make a backup first`];
    const store = await openStore(config);
    try {
      await openKeyRing({ keys: store.keys, vault, clock });
      return await endedPasskeys(config, store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof NoDatabase) {
      if (config.db.engine === 'sqlite') accessSync(dirname(config.db.file), constants.W_OK);
      return [`there is no database at ${name}; the start creates one`];
    }
    if (error instanceof StoreUnavailable && !isNotAllowed(error))
      return [`the database cannot be looked into: ${error.message}`];
    throw error;
  }
}

/** Whether another key than that of the key file sealed the database; false where the key file cannot be used. */
export async function hasOtherKey(
  config: Config,
  { env, clock }: { env: Readonly<Record<string, string | undefined>>; clock: Clock },
): Promise<boolean> {
  try {
    const vault = openVault(config.secrets.keyFile, env);
    await inStore(config, ({ keys }) => openKeyRing({ keys, vault, clock }), { isPatient: true });
  } catch (error) {
    if (error instanceof SealBroken) return true;
    if (!(error instanceof KeyFileError)) throw error;
  }
  return false;
}

type Store = Awaited<ReturnType<typeof openStore>>;

/** The result of `work` on a database of this release; undefined for another one, which opening would migrate. */
export async function inStore<T>(
  config: Config,
  work: (store: Store) => Promise<T>,
  options?: Parameters<typeof openStore>[1],
): Promise<T | undefined> {
  if ((await databaseVersion(config)).version !== schemaVersion) return undefined;
  const store = await openStore(config, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * Sentences about passkeys that end with this configuration, as far as the database can be looked into: they belong to a
 * host that no bind point has, here or at another node that runs.
 */
export async function passkeysThatEnd(config: Config): Promise<readonly string[]> {
  try {
    return (await inStore(config, (store) => endedPasskeys(config, store))) ?? [];
  } catch (error) {
    if (error instanceof NoDatabase || error instanceof StoreUnavailable) return [];
    throw error;
  }
}

async function endedPasskeys(
  config: Config,
  { passkeys, nodes }: Pick<Store, 'passkeys' | 'nodes'>,
): Promise<readonly string[]> {
  const { rpId: configured } = config.edge.passkeys;
  const own = config.listeners.flatMap(({ bindPoints }) => bindPoints.map(({ issuer }) => issuer));
  const name = nodeName(config);
  const others = (await nodes.listAll()).filter((node) => node.name !== name && node.leftAt === null);
  const issuers = [...own, ...others.flatMap(issuersOf)];
  const domains = issuers.map((issuer) => rpIdOf(new URL(issuer).hostname, configured));
  const ended = (await passkeys.countByDomain()).filter(({ rpId }) => !domains.includes(rpId));
  return ended.map(
    ({ rpId, passkeys: count }) =>
      `passkeys end: ${count} belong to ${rpId}, which is not the domain of any bind point; people without another authenticator need an invitation`,
  );
}
