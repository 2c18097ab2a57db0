import type { Config } from '../../../config/config.ts';
import {
  databaseName,
  databaseVersion,
  NoDatabase,
  openStore,
  StoreUnavailable,
  schemaVersion,
} from '../../../controller/database.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { KeyVault } from '../../../platform/secrets/key-vault.ts';
import { openKeyRing } from '../../../tokens/key-ring.ts';

/**
 * Checks whether the key-encryption key belongs to the database, and changes nothing: the database of an older release
 * is not opened, because opening would migrate it.
 * @returns sentences about a database that could not be inspected, or that the start will change
 * @throws SealBroken it is another key; SchemaError a release that this one cannot follow has changed the database
 */
export async function checkDatabaseAndKey({
  config,
  clock,
  vault,
}: {
  readonly config: Config;
  readonly clock: Clock;
  readonly vault: KeyVault;
}): Promise<readonly string[]> {
  const name = databaseName(config);
  try {
    const { version } = await databaseVersion(config);
    if (version < schemaVersion) {
      return [`the start will migrate ${name} from schema ${version} to ${schemaVersion}`];
    }
    const store = await openStore(config);
    try {
      await openKeyRing({ keys: store.keys, vault, clock });
    } finally {
      await store.close();
    }
    return [];
  } catch (error) {
    if (error instanceof NoDatabase) return [`there is no database at ${name}; the start creates one`];
    if (error instanceof StoreUnavailable) return [`the database cannot be looked into: ${error.message}`];
    throw error;
  }
}
