import type { MessagePort } from 'node:worker_threads';
import type { Actor } from '../../model/actor.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { ListBudget } from '../../model/list-query.ts';
import type { PoolUse } from '../../model/metrics.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Within } from '../contracts/auth-requests.ts';
import type { ChangeListener } from '../contracts/changes.ts';
import type { Unchanged } from '../contracts/versions.ts';
import type { SqlRow, SqlValue, Statement } from './intent.ts';

/** On whose behalf an intent runs, when, and what must hold besides: see `ChangeConditions`. */
export interface Caller {
  readonly actor: Actor;
  readonly now: Millis;
  readonly unchanged: Unchanged | null;
  readonly helped: IdentityId | null;
}

export interface WriteOptions {
  readonly within?: Within | undefined;
  readonly caller?: Caller;
}

/** Runs a statement whose text may be composed for this call. */
export type ReadInTurn = (statement: Statement) => Promise<readonly SqlRow[]>;

/** What an engine provides for the implementation of the contracts. */
export interface Engine {
  readonly dialect: Dialect;
  /** Runs an intent as one atomic step. Resolves once the commit is durable. */
  write(name: string, args: unknown, options?: WriteOptions): Promise<unknown>;
  /** @param sql one of the fixed texts of this folder, which stay prepared */
  read(sql: string, ...params: SqlValue[]): Promise<readonly SqlRow[]>;
  /**
   * Reads on connections of their own, in the payer's turn and within the time of the budget.
   * @throws NoTurn, OutOfTime
   */
  inTurn<T>(budget: ListBudget, use: (read: ReadInTurn) => Promise<T>): Promise<T>;
  /** See `ChangeFeed.onChange`. */
  onChange(listener: ChangeListener): () => void;
  /** See `Store.letWrite`. */
  letWrite(port: MessagePort): void;
  /** See `Store.sessionVersion`. */
  sessionVersion(id: string): number | null;
  /** See `Store.poolUse`. */
  poolUse(): readonly PoolUse[];
  close(): Promise<void>;
}

/** All differences between the engines that the shared SQL has to know. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Translates a migration statement, written with SQLite's types, to this engine's types. */
  ddl(statement: string): string;
  /** Function: the position of the second text in the first, 0 when absent. */
  readonly position: 'instr' | 'strpos';
  /** A text in lower case, including letters outside ASCII. */
  lowerCase(expression: string): string;
  /** A condition that ends a statement of a list when its time is over, if the engine does not end it by itself. */
  withinTime(table: string): string;
  /** A query for about how many rows a table has, as `total`, whatever its size. */
  rowsOf(table: string): string;
  /** Function: a JSON array of the values of a column. */
  readonly jsonArray: 'json_group_array' | 'json_agg';
  /** Function: turns the texts of a JSON array into rows with a column `value`. */
  readonly jsonTexts: 'json_each' | 'json_array_elements_text';
  /** The same for a column that contains such an array. */
  jsonTextsOf(column: string): string;
  /** The time in Millis, if the engine has its own clock. */
  readonly time: string | null;
  /** A text that is another one once another server answers, or the same one has restarted; NULL on a replica. */
  readonly history: string;
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  ddl: (statement) => statement,
  position: 'instr',
  // Our own function, because the built-in `lower` knows ASCII only. Defined by store/sqlite/connection.ts.
  lowerCase: (expression) => `lower_case(${expression})`,
  withinTime: (table) => `within_time(${table}.rowid)`,
  rowsOf: (table) => `SELECT coalesce(max(rowid), 0) AS total FROM ${table}`,
  jsonArray: 'json_group_array',
  jsonTexts: 'json_each',
  jsonTextsOf: (column) => `json_each(${column})`,
  time: null,
  history: `''`,
};

export const postgresDialect: Dialect = {
  name: 'postgres',
  ddl: postgresDdl,
  position: 'strpos',
  // The columns compare by bytes. Under that collation `lower` knows ASCII only.
  lowerCase: (expression) => `lower(${expression} COLLATE "und-x-icu")`,
  withinTime: () => '1 = 1',
  // The number of the last VACUUM or ANALYZE is -1 before the first. A row of ours takes more than 100 bytes.
  rowsOf: (table) => `SELECT greatest(reltuples::bigint, pg_relation_size(oid) / 400) AS total
    FROM pg_class WHERE oid = '${table}'::regclass`,
  jsonArray: 'json_agg',
  jsonTexts: 'json_array_elements_text',
  jsonTextsOf: (column) => `json_array_elements_text(${column}::json)`,
  time: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  // A server that was promoted has another start than the one before, and it never becomes a replica without a restart.
  history:
    'CASE WHEN pg_is_in_recovery() THEN NULL ELSE extract(epoch FROM pg_postmaster_start_time())::text END',
};

/**
 * Texts compare and sort by bytes, as in SQLite, whatever the collation of the database. Integers are always 64 bits
 * wide, as in SQLite. Rows are always apart from the index of their key.
 */
function postgresDdl(statement: string): string {
  if (!/^\s*(CREATE|ALTER) TABLE\b/.test(statement)) return statement;
  return statement
    .replace(/\bINTEGER PRIMARY KEY AUTOINCREMENT\b/g, 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replace(/ WITHOUT ROWID$/, '');
}
