import type { Store } from '../contracts/store.ts';
import type { StoredVersion } from '../migrations/migrate.ts';
import { sqlStore } from '../sql/store.ts';
import { openClient, postgresSettings, withoutTimeouts } from './connection.ts';
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
  url,
  isPatient = false,
}: {
  readonly url: string;
  readonly isPatient?: boolean;
}): Promise<Store> {
  const settings = postgresSettings(url);
  await withPostgres(url, (client) => migratePostgres(client));
  return sqlStore(openPostgresEngine(isPatient ? withoutTimeouts(settings) : settings));
}

/** The version of the schema; null when there is none. @throws StoreUnavailable */
export function schemaVersionOf({ url }: { readonly url: string }): Promise<StoredVersion | null> {
  return withPostgres(url, versionOf);
}

/**
 * Uses a connection of its own, on which no statement is given up.
 * @throws StoreUnavailable the server cannot be reached; and whatever `use` throws
 */
export async function withPostgres<T>(
  url: string,
  use: (client: ReturnType<typeof openClient>) => Promise<T>,
): Promise<T> {
  const client = openClient(withoutTimeouts(postgresSettings(url)));
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
