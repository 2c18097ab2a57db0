// The database that a seed fills, beside the running controller: SQLite or PostgreSQL, the same statements.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Config } from '../../src/config/config.ts';

export interface SeedDatabase {
  readonly engine: 'sqlite' | 'postgres';
  /** @param sql placeholders are `$1`, `$2` and so on */
  run(sql: string, ...params: readonly (string | number)[]): Promise<void>;
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
  columnsOf(table: string): Promise<readonly string[]>;
  /** Runs it as one transaction. */
  together(work: () => Promise<void>): Promise<void>;
  /** SQL for the number `i` in hexadecimal, twelve digits. */
  readonly hexOfNumber: string;
  /** Lets the database do what it does when it is idle. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openSeedDatabase({ db }: Config): Promise<SeedDatabase> {
  return db.engine === 'sqlite' ? onSqlite(db.file) : onPostgres(db.url);
}

function onSqlite(file: string): SeedDatabase {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const numbered = (sql: string) => database.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
  return {
    engine: 'sqlite',
    run: async (sql, ...params) => void numbered(sql).run(...params),
    rows: async (sql) => database.prepare(sql).all(),
    columnsOf: async (table) =>
      database
        .prepare(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => String(name)),
    async together(work) {
      database.exec('BEGIN IMMEDIATE');
      await work();
      database.exec('COMMIT');
    },
    hexOfNumber: `printf('%012x', i)`,
    settle: async () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: async () => database.close(),
  };
}

async function onPostgres(url: string): Promise<SeedDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    engine: 'postgres',
    run: async (sql, ...params) => void (await client.query(sql, [...params])),
    rows: async (sql) => (await client.query(sql)).rows,
    async columnsOf(table) {
      const { rows } = await client.query(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = '${table}' ORDER BY ordinal_position`,
      );
      return rows.map(({ name }) => String(name));
    },
    async together(work) {
      await client.query('BEGIN');
      await work();
      await client.query('COMMIT');
    },
    hexOfNumber: `lpad(to_hex(i), 12, '0')`,
    async settle() {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    close: () => client.end(),
  };
}
