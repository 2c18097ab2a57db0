import type pg from 'pg';
import { postgresDialect } from './engine.ts';
import { migrationsFrom, refuseNewer, SchemaError, schemaVersion } from './migrate.ts';
import { migrationLock } from './postgres-locks.ts';

/** The oldest server that we promise to run on. */
const oldestServer = 150_000;

type Client = Pick<pg.Client, 'query'>;

/**
 * Brings a database to the schema of this release. Nodes that start together wait for one another.
 * @returns the version before and after
 * @throws SchemaError   written by a newer release or by another program, or of a kind that is not served; nothing
 *                       is changed
 */
export async function migratePostgres(
  client: Client,
): Promise<{ readonly from: number; readonly to: number }> {
  await refuseUnsuitable(client);
  if ((await versionOf(client)) === schemaVersion) return { from: schemaVersion, to: schemaVersion };
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  try {
    // The other node may take longer than a statement may wait.
    await client.query('SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0');
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    const from = await applyMigrations(client);
    await client.query('COMMIT');
    return { from, to: schemaVersion };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Within a transaction that holds the lock. @returns the version before; 0: there was nothing */
export async function applyMigrations(client: Client): Promise<number> {
  const version = await versionOf(client);
  if (version === null && (await hasTables(client))) {
    throw new SchemaError(
      'the database belongs to another program: it has tables but no schema version; name another database',
    );
  }
  const from = version ?? 0;
  refuseNewer(from);
  if (version === null) await client.query('CREATE TABLE schema_version (version BIGINT NOT NULL)');
  for (const sql of migrationsFrom(from, postgresDialect)) await client.query(sql);
  await client.query('DELETE FROM schema_version');
  await client.query(`INSERT INTO schema_version (version) VALUES (${schemaVersion})`);
  return from;
}

/** The version of the schema; null when there is none. */
export async function versionOf(client: Client): Promise<number | null> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'`,
  );
  if (rows.length === 0) return null;
  const found = await client.query('SELECT version FROM schema_version');
  return found.rows.length === 0 ? null : Number(found.rows[0].version);
}

export async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1');
  return rows.length > 0;
}

/** @throws SchemaError a server, an encoding or a schema that cannot be used */
export async function refuseUnsuitable(client: Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding, current_schema() AS schema`,
  );
  const { version, name, encoding, schema } = rows[0] ?? {};
  if (Number(version) < oldestServer) {
    throw new SchemaError(`the server is PostgreSQL ${name}: this release needs 15 or newer`);
  }
  if (encoding !== 'UTF8') {
    throw new SchemaError(`the encoding of the database is ${encoding}: create it with ENCODING 'UTF8'`);
  }
  if (schema === null) {
    throw new SchemaError('the search_path of the database user names no schema that exists');
  }
}
