import type { Referred } from '../../model/entities/all-entities.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { ListBudget } from '../../model/list-query.ts';
import type { Actor } from '../../model/principal.ts';
import { type Millis, systemClock } from '../../platform/clock.ts';
import { fairTurns, usualTurns } from '../../platform/fair-turns.ts';
import type { Within } from '../contracts/auth-requests.ts';
import type { ChangeFeed, ChangeListener, ChangeNotice } from '../contracts/changes.ts';
import { type Store, StoreUnavailable } from '../contracts/store.ts';
import type { Unchanged } from '../contracts/versions.ts';
import type { Force, Intent, Sql, SqlRow, SqlValue, Statement } from './intent.ts';

/** On whose behalf an intent runs, when, and what must hold besides: see `ChangeConditions`. */
export interface Caller {
  readonly actor: Actor;
  readonly now: Millis;
  readonly unchanged: Unchanged | null;
  readonly helped: IdentityId | null;
  readonly referred: readonly Referred[];
}

export interface WriteOptions {
  readonly within?: Within | undefined;
  readonly caller?: Caller;
  readonly how?: Force;
}

/** Runs a statement whose text may be composed for this call. */
export type ReadInTurn = (statement: Statement) => Promise<readonly SqlRow[]>;

/** The services of an engine for the implementation of the contracts. */
export interface Engine
  extends Pick<ChangeFeed, 'onChange'>,
    Pick<Store, 'letWrite' | 'sessionVersion' | 'poolUse' | 'close'> {
  readonly dialect: Dialect;
  /** Runs an intent as one atomic step. Resolves once the commit is durable. */
  write(name: string, args: readonly unknown[], options?: WriteOptions): Promise<unknown>;
  /** @param sql one of the fixed texts of this folder, which stay prepared */
  read(sql: string, ...params: SqlValue[]): Promise<readonly SqlRow[]>;
  /**
   * Reads on connections of their own, in the payer's turn and within the time of the budget.
   * @throws NoTurn, OutOfTime
   */
  inTurn<T>(budget: ListBudget, use: (read: ReadInTurn) => Promise<T>): Promise<T>;
}

/** The listeners that are told of commits. */
export function changeListeners() {
  const listeners = new Set<ChangeListener>();
  return {
    /** Resolves when all listeners have ended, with or without an error. */
    async notify(notice: ChangeNotice): Promise<void> {
      await Promise.allSettled([...listeners].map(async (listener) => listener(notice)));
    },
    onChange(listener: ChangeListener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** All differences between the engines that the shared SQL has to know. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** A query for the names of all tables, as `name`. */
  readonly tables: string;
  /** A query for all columns, as `table.column`, and the indexes that have a name, as `part`. Those of keys are left out. */
  readonly parts: string;
  /** Translates a migration statement, written with SQLite's types, to this engine's types. */
  ddl(statement: string): string;
  /** Whether a text contains another one. */
  contains(expression: string, text: string): Sql;
  /** Whether a column that contains a JSON array of texts has one. */
  hasText(column: string, text: string): Sql;
  /** A text in lower case, including letters outside ASCII. */
  lowerCase(expression: string): string;
  /** A condition that ends a statement of a list when its time is over, if the engine does not end it by itself. */
  withinTime(table: string): string;
  /** A query for about how many rows a table has, as `total`; its cost does not depend on their number. */
  rowsOf(table: string): string;
  /** About this part of the rows of a table, at random but the same each time, as `FROM` names it. @param part above 0, at most 1 */
  sampled(table: string, part: number): string;
  /** Function: a JSON array of the values of a column. */
  readonly jsonArray: 'json_group_array' | 'json_agg';
  /** Function: turns the texts of a JSON array into rows with a column `value`. */
  readonly jsonTexts: 'json_each' | 'json_array_elements_text';
  /** The time in Millis, if the engine has its own clock. */
  readonly time: string | null;
  /** A text that changes when another server answers, or the same one has restarted; NULL on a replica. */
  readonly history: string;
  readonly horizon: Horizon;
}

/** How an engine tells which entries of the feed were committed since another statement was run. */
interface Horizon {
  /** A text that says what is committed, as the statement sees it; NULL on a replica. */
  readonly now: string;
  /** Condition: the entry `c` was not committed at the given horizon, but is now. */
  readonly isBehind: string;
  /** The parameters of that condition. */
  params(horizon: string): readonly SqlValue[];
}

/** A statement, one text for all engines (see `Dialect.ddl`), or an intent that computes what SQL cannot. */
export type Migration = string | ((dialect: Dialect) => Intent<void>);

/** A statement of the schema that only one engine has: the shape that all need does not contain its outcome. */
export interface OfEngine {
  readonly engine: Dialect['name'];
  readonly sql: string;
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  tables: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
  parts: `SELECT made.name || '.' || held.name AS part
      FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS held
      WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite~_%' ESCAPE '~'
    UNION ALL SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
  // Unset values always come first here, and an index may not say so.
  ddl: (statement) => statement.replaceAll(' NULLS FIRST', ''),
  contains: (expression, text) => ({ sql: `instr(${expression}, ?) > 0`, params: [text] }),
  hasText: (column, text) => ({
    sql: `EXISTS (SELECT 1 FROM json_each(${column}) AS texts WHERE texts.value = ?)`,
    params: [text],
  }),
  // Our own function, because the built-in `lower` knows ASCII only. Defined by store/sqlite/connection.ts.
  lowerCase: (expression) => `lower_case(${expression})`,
  withinTime: (table) => `within_time(${table}.rowid)`,
  rowsOf: (table) => `SELECT coalesce(max(rowid), 0) AS total FROM ${table}`,
  // Rows of the same period would otherwise all be in it, or none.
  sampled(table, part) {
    const step = Math.round(1 / part);
    return `(WITH RECURSIVE steps (at) AS (
        SELECT 1 UNION ALL SELECT at + ${step} FROM steps WHERE at + ${step} <= (SELECT max(rowid) FROM ${table})
      ) SELECT at + at / ${step} * 48271 % ${step} AS at FROM steps) AS steps CROSS JOIN ${table} ON ${table}.rowid = steps.at`;
  },
  jsonArray: 'json_group_array',
  jsonTexts: 'json_each',
  time: null,
  history: `''`,
  // One writer at a time: numbers are committed in order.
  horizon: {
    now: `(SELECT CAST(coalesce(max(seq), 0) AS TEXT) FROM changes)`,
    isBehind: 'c.seq > ?',
    params: (horizon) => [Number(horizon)],
  },
};

export const postgresDialect: Dialect = {
  name: 'postgres',
  tables: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  parts: `SELECT table_name || '.' || column_name AS part
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()`,
  ddl: postgresDdl,
  // LIKE, which indexes of trigrams know (`trigrams` of migrations/tables-of-people.ts).
  contains: (expression, text) => ({
    sql: `${expression} LIKE ?`,
    params: [`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`],
  }),
  // Not as JSON that we write: jsonb refuses an escaped NUL and half of a surrogate pair, which a filter may contain.
  hasText: (column, text) => ({ sql: `${column}::jsonb @> to_jsonb(?::text)`, params: [text] }),
  // The columns compare by bytes. Under that collation `lower` knows ASCII only.
  lowerCase: (expression) => `lower(${expression} COLLATE "und-x-icu")`,
  withinTime: () => '1 = 1',
  // The number of the last VACUUM or ANALYZE is -1 before the first. A row of ours takes more than 100 bytes.
  rowsOf: (table) => `SELECT greatest(reltuples::bigint, pg_relation_size(oid) / 400) AS total
    FROM pg_class WHERE oid = '${table}'::regclass`,
  sampled: (table, part) => `${table} TABLESAMPLE SYSTEM (${part * 100}) REPEATABLE (1)`,
  jsonArray: 'json_agg',
  jsonTexts: 'json_array_elements_text',
  time: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  // A server that was promoted has another start than the one before, and it never becomes a replica without a restart.
  history:
    'CASE WHEN pg_is_in_recovery() THEN NULL ELSE extract(epoch FROM pg_postmaster_start_time())::text END',
  // A snapshot says which transactions had not ended: all from its second number, and those in its list. Each of them is
  // found by the index, so one that runs for hours, also of another program, costs the feed nothing and delays no entry.
  horizon: {
    now: 'CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_snapshot()::text END',
    isBehind: `(c.transaction_id >= ? AND c.transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      OR c.transaction_id = ANY (?::bigint[]))`,
    params(horizon) {
      const [, next, running] = horizon.split(':');
      return [Number(next), `{${running}}`];
    },
  },
};

/** In the text of a table: the number of the transaction that adds a row, on an engine that has such numbers. */
export const currentTransaction = 'DEFAULT 0 /* the transaction */';

/**
 * Texts compare and sort by bytes, as in SQLite, with every collation of the database. Integers are always 64 bits
 * wide, as in SQLite. Rows are always apart from the index of their key.
 */
function postgresDdl(statement: string): string {
  if (!/^\s*(CREATE|ALTER) TABLE\b/.test(statement)) return statement;
  const translated = statement
    .replace(/\bINTEGER PRIMARY KEY AUTOINCREMENT\b/g, 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replace(currentTransaction, 'DEFAULT pg_current_xact_id()::text::bigint')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replace(/ WITHOUT ROWID$/, '');
  return statement.includes(currentTransaction) ? `${translated}; ${rowsOfTransactionAreFew}` : translated;
}

/**
 * After an import of thousands in one transaction the planner would expect as many rows for each transaction, and read the
 * whole feed each time.
 */
const rowsOfTransactionAreFew = 'ALTER TABLE changes ALTER COLUMN transaction_id SET (n_distinct = -1)';

// How both engines take turns at lists: see `Engine.inTurn`.

/** A statement was ended because the time of its list was over. */
export class OutOfTime extends StoreUnavailable {
  constructor() {
    super('the list took longer than it may');
  }
}

export type InTurn = <T>(budget: ListBudget, use: (left: () => Millis) => Promise<T>) => Promise<T>;

/**
 * @param atOnce how many lists the engine reads at once; strangers have one more
 * @returns runs `use` in the payer's turn; `left` is the time that is left, and throws OutOfTime when none is
 */
export function listTurns(atOnce: number): InTurn {
  const ofCallers = fairTurns({ ...usualTurns, atOnce });
  const ofStrangers = fairTurns({ ...usualTurns, atOnce: 1 });
  return async (budget, use) => {
    const end = await (budget.isStranger ? ofStrangers : ofCallers).take(budget.payer);
    try {
      const ends = systemClock.monotonic() + budget.time;
      return await use(() => {
        const left = ends - systemClock.monotonic();
        if (left <= 0) throw new OutOfTime();
        return left;
      });
    } finally {
      end();
    }
  };
}
