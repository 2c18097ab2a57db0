// Moves a whole SQLite database into an empty PostgreSQL one, and compares the copies with the originals.

import { createHash, type Hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { migrateSqlite, refuseNewer, SchemaError, schemaVersionOfSqlite } from '../migrations/migrate.ts';
import { requireShapeOfSqlite } from '../migrations/shape.ts';
import type { SqlValue } from '../sql/intent.ts';
import { storable } from './connection.ts';
import { migrationLock } from './locks.ts';
import { applyMigrations, hasTables, refuseUnsuitable } from './migrate.ts';
import { withPostgres } from './open.ts';

/** Rows sent together. */
const batchSize = 1000;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The primary key, which orders the rows. */
  readonly key: readonly string[];
  /** Tables that its rows refer to. */
  readonly parents: readonly string[];
}

/**
 * Copies every row in one transaction. The source must not be written meanwhile. The target must be empty.
 * @param copy.putAside called when everything is there; until it has ended, no other process can write to the source
 * @throws SchemaError   the target has tables, or what arrived differs; the target is left empty then
 */
export async function copySqliteToPostgres(copy: {
  readonly path: string;
  readonly url: string;
  readonly onProgress: (table: string, rows: number) => void;
  readonly putAside: () => void;
}): Promise<void> {
  using source = new DatabaseSync(copy.path, { timeout: 5000 });
  migrateSqlite(source);
  requireShapeOfSqlite(source);
  refuseNewer(schemaVersionOfSqlite(source));
  // Once it is put aside, closing it no longer does this.
  source.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  source.exec('BEGIN IMMEDIATE');
  await withPostgres(copy.url, async (target) => {
    await refuseUnsuitable(target);
    await refuseOccupied(target);
    await target.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    await target.query('SET LOCAL statement_timeout = 0');
    await target.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await target.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await refuseOccupied(target);
    await applyMigrations(target);
    const tables = inOrder(tablesOf(source));
    // The rows that every new database has.
    for (const { name } of tables.toReversed()) await target.query(`DELETE FROM ${name}`);
    for (const table of tables) copy.onProgress(table.name, await copyTable(source, target, table));
    await continueCounting(source, target);
    await target.query('COMMIT');
  });
  copy.putAside();
}

async function refuseOccupied(target: pg.Client): Promise<void> {
  if (await hasTables(target))
    throw new SchemaError('the target database is not empty: use a newly created one');
}

function tablesOf(source: DatabaseSync): readonly Table[] {
  const tables = source
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
         AND name <> 'schema_version' ORDER BY name`,
    )
    .all();
  return tables.map(({ name }) => {
    const columns = source.prepare(`PRAGMA table_info(${String(name)})`).all();
    const key = columns
      .filter(({ pk }) => Number(pk) > 0)
      .sort((one, other) => Number(one.pk) - Number(other.pk))
      .map((column) => String(column.name));
    const names = columns.map((column) => String(column.name));
    const parents = source.prepare(`PRAGMA foreign_key_list(${String(name)})`).all();
    return {
      name: String(name),
      columns: names,
      key: key.length > 0 ? key : names,
      parents: parents.map((row) => String(row.table)).filter((parent) => parent !== name),
    };
  });
}

/** Parents before their children. */
function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parents }) =>
      parents.every((parent) => ordered.some(({ name }) => name === parent)),
    );
    if (ready.length === 0) throw new Error('tables refer to one another in a ring');
    ordered.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** @returns how many rows */
async function copyTable(source: DatabaseSync, target: pg.Client, table: Table): Promise<number> {
  const { name, columns, key } = table;
  const select = `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;
  const types = await typesOf(target, table);
  const arrays = columns.map((_column, at) => `$${at + 1}::${types[at]}[]`).join(', ');
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays})`;
  const sent = createHash('sha256');
  let count = 0;
  let batch: (readonly SqlValue[])[] = [];
  const send = async () => {
    if (batch.length === 0) return;
    await target.query(
      insert,
      columns.map((_column, at) => batch.map((row) => row[at])),
    );
    count += batch.length;
    batch = [];
  };
  for (const row of source.prepare(select).iterate()) {
    const values = columns.map((column) => storable(row[column] as SqlValue));
    note(sent, values);
    batch.push(values);
    if (batch.length === batchSize) await send();
  }
  await send();
  const arrived = await hashOf(target, select, columns);
  if (arrived.count !== count || arrived.hash !== sent.digest('hex'))
    throw new SchemaError(`what arrived in ${name} differs from what was sent; nothing was moved`);
  return count;
}

async function typesOf(target: pg.Client, { name, columns }: Table): Promise<readonly string[]> {
  const { rows } = await target.query(
    `SELECT column_name, data_type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [name],
  );
  return columns.map((column) => {
    const found = rows.find((row) => row.column_name === column);
    if (found === undefined) throw new Error(`${name} has no column ${column} on PostgreSQL`);
    return String(found.data_type);
  });
}

async function hashOf(target: pg.Client, select: string, columns: readonly string[]) {
  const hash = createHash('sha256');
  let count = 0;
  await target.query(`DECLARE arrived NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const { rows } = await target.query(`FETCH ${batchSize} FROM arrived`);
    if (rows.length === 0) break;
    for (const row of rows)
      note(
        hash,
        columns.map((column) => row[column] as SqlValue),
      );
    count += rows.length;
  }
  await target.query('CLOSE arrived');
  return { hash: hash.digest('hex'), count };
}

function note(hash: Hash, values: readonly SqlValue[]): void {
  hash.update(JSON.stringify(values)).update('\n');
}

/** Numbers that were used before are never used again, even if their rows are gone. */
async function continueCounting(source: DatabaseSync, target: pg.Client): Promise<void> {
  for (const { name, seq } of source.prepare('SELECT name, seq FROM sqlite_sequence').all()) {
    const { rows } = await target.query(
      `SELECT column_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`,
      [String(name)],
    );
    const column = rows[0]?.column_name;
    if (column === undefined || Number(seq) < 1) continue;
    await target.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
      String(name),
      String(column),
      Number(seq),
    ]);
  }
}
