import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isOnline } from '../../model/node.ts';
import { SECOND } from '../../platform/clock.ts';
import {
  isUpToDate,
  ourSchema,
  SchemaError,
  type StoredVersion,
  storedVersion,
  upToDate,
} from '../migrations/migrate.ts';
import { partsOf, requireShape } from '../migrations/shape.ts';
import { postgresDialect } from '../sql/engine.ts';
import { all, type Intent } from '../sql/intent.ts';
import { rowsOf, unprepared } from './connection.ts';
import { isBlocked } from './errors.ts';
import { holdIntents, migrationLock } from './locks.ts';

/** The oldest supported server. */
const oldestServer = 150_000;
/**
 * A transaction that waits for a table blocks every later one, readers too. So a migration that meets a long
 * transaction, such as a backup, lets them pass and tries again, well before a token request has waited too long
 * (`Within`).
 */
const patience = 1.5 * SECOND;
const maxTries = 120;

type Client = Pick<pg.Client, 'query'>;

/**
 * Brings a database to the schema of this release, beside running nodes. Nodes that start at the same time wait for
 * each other.
 * @returns the version afterwards, which is newer than ours if an older release may use a newer schema
 * @throws SchemaError   a newer release or another program made it, or the server is not supported; nothing is changed
 * @throws NodesInTheWay running nodes could not continue afterwards
 */
export async function migratePostgres(client: Client, schema = ourSchema): Promise<number> {
  await refuseUnsuitable(client);
  const version = await migrated(client, schema);
  const parts = rowsOf(await client.query(postgresDialect.parts)).map(({ part }) => String(part));
  requireShape(new Set(parts), schema);
  await catchUp(client);
  return version;
}

async function migrated(client: Client, schema: typeof ourSchema): Promise<number> {
  const stored = await versionOf(client);
  if (stored !== null && isUpToDate(stored, schema)) return stored.version;
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(client, schema);
    } catch (error) {
      if (!isBlocked(error) || tries >= maxTries) throw error;
      await pause(patience / 3);
    }
  }
}

async function migrateOnce(client: Client, schema: typeof ourSchema) {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  try {
    // The other node may take longer than a statement may wait.
    await client.query('SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0');
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await client.query(`SET LOCAL lock_timeout = ${patience}`);
    // No intent is half-way then: it could hold a table that the migration needs, and wait for one that it holds.
    await client.query(holdIntents);
    const version = await applyMigrations(client, schema);
    await client.query('COMMIT');
    return version;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Runs in a transaction that holds the lock. @returns the version afterwards */
export function applyMigrations(client: Client, schema = ourSchema): Promise<number> {
  return runOn(client, upToDate(postgresDialect, schema, runningNodes));
}

async function runOn<T>(client: Client, intent: Intent<T>): Promise<T> {
  let step = intent.next();
  while (!step.done) step = intent.next(rowsOf(await client.query(unprepared(step.value))));
  return step.value;
}

/**
 * Nodes announce every ten seconds that they run, and say when they stop. One that vanished counts as running for half
 * a minute, which is quicker than finding out.
 */
function* runningNodes(): Intent<readonly string[]> {
  const rows = yield* all(
    `SELECT name, version, last_seen_at, left_at, ${postgresDialect.time} AS now FROM nodes ORDER BY name`,
  );
  return rows
    .filter(({ last_seen_at, left_at, now }) =>
      isOnline({ lastSeenAt: Number(last_seen_at), leftAt: left_at as number | null }, Number(now)),
    )
    .map(({ name, version }) => `${name} (${version})`);
}

/** The version of the schema; null when there is none. */
export async function versionOf(client: Client): Promise<StoredVersion | null> {
  return (await runOn(client, storedVersion(postgresDialect))).version;
}

export async function hasTables(client: Client): Promise<boolean> {
  return !(await runOn(client, storedVersion(postgresDialect))).isEmpty;
}

/** @throws SchemaError the server, its encoding or the schema cannot be used */
export async function refuseUnsuitable(client: Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding, current_schema() AS schema`,
  );
  const { version, name, encoding, schema } = rows[0] ?? {};
  if (Number(version) < oldestServer)
    throw new SchemaError(`the server is PostgreSQL ${name}: this release needs 15 or newer`);
  if (encoding !== 'UTF8')
    throw new SchemaError(`the encoding of the database is ${encoding}: create it with ENCODING 'UTF8'`);
  if (schema === null)
    throw new SchemaError('the search_path of the database user names no schema that exists');
}

/** A sequence whose next number a row already has: each insert into that table fails. */
interface SequenceBehind {
  readonly table: string;
  /** With its schema, as a statement names it. */
  readonly sequence: string;
  readonly highest: number;
}

/** As rows are after a restore of data only, or a copy by logical replication: neither takes sequences along. */
export async function sequencesBehind(client: Client): Promise<readonly SequenceBehind[]> {
  const { rows } = await client.query(
    `SELECT * FROM (SELECT table_name AS table, column_name AS column,
         pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
       FROM information_schema.columns WHERE table_schema = current_schema()) AS found
     WHERE has_sequence_privilege(sequence, 'SELECT') ORDER BY 1`,
  );
  const behind: SequenceBehind[] = [];
  // Other programs may have tables in the same schema.
  const ours = rows.filter(({ table, column }) => partsOf(ourSchema).has(`${table}.${column}`));
  for (const { table, column, sequence } of ours) {
    const compared = await client.query(
      `SELECT highest FROM ${sequence}, (SELECT max(${column}) AS highest FROM ${table}) AS numbered
       WHERE highest >= CASE WHEN is_called THEN last_value + 1 ELSE last_value END`,
    );
    for (const { highest } of compared.rows) behind.push({ table, sequence, highest });
  }
  return behind;
}

/** Lets each sequence continue behind the rows, while no intent of another node inserts one. */
async function catchUp(client: Client): Promise<void> {
  if ((await sequencesBehind(client)).length === 0) return;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  try {
    await client.query(holdIntents);
    for (const { sequence, highest } of await sequencesBehind(client))
      await client.query('SELECT setval($1, $2)', [sequence, highest]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
