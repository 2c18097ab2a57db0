import { PostgresPoolerError } from '../../platform/network/postgres-pooler.ts';
import type { Store } from '../contracts/store.ts';
import type { StoredVersion } from '../migrations/migrate.ts';
import { sqlStore } from '../sql/store.ts';
import { openClient, type PostgresSettings, postgresSettings, withoutTimeouts } from './connection.ts';
import { openPostgresEngine } from './engine.ts';
import { postgresError } from './errors.ts';
import { migratePostgres, versionOf } from './migrate.ts';
import { proveServer } from './prove.ts';

/**
 * Opens the store on a PostgreSQL server, and creates or migrates the tables first.
 * @param options.isPatient statements never time out: for work on the whole database for which no request waits
 * @throws SchemaError        a newer release or another program made the database
 * @throws StoreUnavailable   the server cannot be reached, or refuses us
 * @throws PostgresPoolerError it lacks a behaviour that the service relies on
 */
export async function openPostgresStore({
  isPatient = false,
  ...opened
}: OpenedBySeveral & { readonly isPatient?: boolean }): Promise<Store> {
  const settings = settingsOf(opened);
  await provePostgres(opened);
  await withPostgres(opened.url, (client) => migratePostgres(client));
  return sqlStore(openPostgresEngine(isPatient ? withoutTimeouts(settings) : settings));
}

/** @throws StoreUnavailable, PostgresPoolerError as `openPostgresStore` */
export async function provePostgres(opened: OpenedBySeveral): Promise<void> {
  await proveServer(settingsOf(opened)).catch((error) => {
    throw error instanceof PostgresPoolerError ? error : postgresError(error);
  });
}

interface OpenedBySeveral {
  readonly url: string;
  /** How many threads of this process open the store. */
  readonly threads?: number;
}

/** For a database that another thread has opened, and migrated if necessary. */
export function openMigratedPostgresStore(opened: OpenedBySeveral): Store {
  return sqlStore(openPostgresEngine(settingsOf(opened)));
}

/** The number in the URL is for the whole process. Each thread needs three: for reads, writes and lists (`sharesOf`). */
function settingsOf({ url, threads = 1 }: OpenedBySeveral): PostgresSettings {
  const settings = postgresSettings(url);
  return { ...settings, maxConnections: Math.max(2, Math.floor(settings.maxConnections / threads)) };
}

/** The version of the schema; null when there is none. @throws StoreUnavailable */
export function schemaVersionOf({ url }: { readonly url: string }): Promise<StoredVersion | null> {
  return withPostgres(url, versionOf);
}

/**
 * Uses a separate connection, on which no statement times out.
 * @throws StoreUnavailable the server cannot be reached; and every error of `use`
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
