import { PostgresPoolerError } from '../../platform/network/postgres-pooler.ts';
import type { Store } from '../contracts/store.ts';
import type { StoredVersion } from '../migrations/migrate.ts';
import { sqlStore } from '../sql/store.ts';
import {
  openClient,
  type PostgresSettings,
  postgresSettings,
  requireLimitsOfRole,
  withoutTimeouts,
} from './connection.ts';
import { openPostgresEngine } from './engine.ts';
import { postgresError } from './errors.ts';
import { migratePostgres, versionOf } from './migrate.ts';

/**
 * Opens the store on a PostgreSQL server, and creates or migrates the tables first.
 * @param options.isPatient statements take as long as they take: for work on the whole database, by nobody who waits
 * @throws SchemaError        the database was written by a newer release or by another program
 * @throws StoreUnavailable   the server cannot be reached, or lets us not in
 */
export async function openPostgresStore({
  isPatient = false,
  ...opened
}: OpenedBySeveral & { readonly isPatient?: boolean }): Promise<Store> {
  const settings = settingsOf(opened);
  if (settings.isPooled) await checkRole(settings);
  await withPostgres(opened.url, (client) => migratePostgres(client));
  return sqlStore(openPostgresEngine(isPatient ? withoutTimeouts(settings) : settings));
}

async function checkRole(settings: PostgresSettings): Promise<void> {
  const client = openClient(settings);
  try {
    await client.connect();
    await requireLimitsOfRole(client);
  } catch (error) {
    throw error instanceof PostgresPoolerError ? error : postgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

interface OpenedBySeveral {
  readonly url: string;
  /** Threads of this process that open it, each for itself. */
  readonly threads?: number;
}

/** Of a database that another thread has opened, and migrated if that was necessary. */
export function openMigratedPostgresStore(opened: OpenedBySeveral): Store {
  return sqlStore(openPostgresEngine(settingsOf(opened)));
}

/** The connections of the URL are for the whole process. Two is the least: one reads, one writes. */
function settingsOf({ url, threads = 1 }: OpenedBySeveral): PostgresSettings {
  const settings = postgresSettings(url);
  return { ...settings, maxConnections: Math.max(2, Math.floor(settings.maxConnections / threads)) };
}

/** The version of the schema; null when there is none. @throws StoreUnavailable */
export function schemaVersionOf({ url }: { readonly url: string }): Promise<StoredVersion | null> {
  return withPostgres(url, versionOf);
}

/**
 * Uses its own connection, on which no statement is given up.
 * @throws StoreUnavailable the server cannot be reached; and whatever `use` throws
 */
export async function withPostgres<T>(
  url: string,
  use: (client: ReturnType<typeof openClient>) => Promise<T>,
): Promise<T> {
  const settings = postgresSettings(url);
  const client = openClient(withoutTimeouts(settings.session ?? settings));
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
