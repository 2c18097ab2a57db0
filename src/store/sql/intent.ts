// store/sql implements the contracts once, for every engine. An intent is a generator of statements: it says what to
// ask and what to do with the answer. The engine decides how: synchronously in SQLite's writer thread, or
// asynchronously in a transaction of PostgreSQL. One intent is one atomic step.

/** A value that both engines store alike: text, integer (Millis; 0 and 1 for booleans) or null. */
export type SqlValue = string | number | null;

/** A member of a model as it is stored: booleans as 0 and 1, structures as JSON. */
export function sqlOf(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

/** The kinds of columns that `sqlOf` fills. */
export type StoredAs = 'plain' | 'flag' | 'json';

/** The member of a model in a column. */
export function memberOf(stored: SqlValue, as: StoredAs): unknown {
  if (stored === null || as === 'plain') return stored;
  return as === 'flag' ? stored === 1 : JSON.parse(String(stored));
}

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A text with the values for its placeholders, which are `?`: a statement, or a part of one such as a condition. */
export interface Sql {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export interface Statement extends Sql {
  /** Its rows are not used, so it may share a round trip with the next statement. */
  readonly isUnread?: boolean;
  /** A table whose rows that it reads stay as they are until the commit, where intents run side by side. */
  readonly heldTable?: string;
}

/**
 * The body of an intent: yields statements, receives their rows, returns the outcome. Arguments and outcome cross
 * threads, so they are plain data.
 */
export type Intent<Outcome> = Generator<Statement, Outcome, readonly SqlRow[]>;

/** A template of a statement or of a part: its values become parameters, and other parts may be in it. */
export function sql(pieces: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql {
  const parts = values.map((value) =>
    typeof value === 'object' && value !== null ? value : { sql: '?', params: [value] },
  );
  return {
    sql: String.raw({ raw: pieces }, ...parts.map((part) => part.sql)),
    params: parts.flatMap(({ params }) => params),
  };
}

/** A part without values: a list of columns, a table. Nothing that a caller sent may become one. */
export function raw(text: string): Sql {
  return { sql: text, params: [] };
}

/** Parts with a text between them. */
export function together(parts: readonly Sql[], between = ', '): Sql {
  return { sql: parts.map((part) => part.sql).join(between), params: parts.flatMap(({ params }) => params) };
}

/** A list for `IN`. At least one value: engines refuse an empty list. */
export function among(values: readonly SqlValue[]): Sql {
  return { sql: `(${values.map(() => '?').join(', ')})`, params: values };
}

/** A template, or a text with `?` and the values for them. */
type Spelled =
  | [sql: string, ...params: SqlValue[]]
  | [pieces: TemplateStringsArray, ...values: (SqlValue | Sql)[]];

function statement([text, ...values]: Spelled): Statement {
  return typeof text === 'string' ? { sql: text, params: values as SqlValue[] } : sql(text, ...values);
}

/** The intents of a concern, by name. */
export type Intents = Readonly<Record<string, (...args: never) => Intent<unknown>>>;
export type ParametersOf<Known> = Known extends (...args: infer Args) => unknown ? Args : never;
/** The rules that an intent may break. Comes from `force` of `onBehalfOf`. */
export interface Force {
  /** Makes the change even if no administrator could log in afterwards. */
  readonly force: boolean;
  /** Gives a name even if it passes for that of another identity. */
  readonly sharesName: boolean;
}
export const unforced: Force = { force: false, sharesName: false };
export const forced: Force = { force: true, sharesName: true };

export type OutcomeOf<Known> = Known extends (...args: never) => Intent<infer Outcome> ? Outcome : never;

/** Runs a statement and returns all its rows. */
export function* all(...spelled: Spelled): Intent<readonly SqlRow[]> {
  return yield statement(spelled);
}

/** Runs a statement and returns its first row, if any. */
export function* first(...spelled: Spelled): Intent<SqlRow | undefined> {
  const rows = yield statement(spelled);
  return rows[0];
}

/** Runs a statement with RETURNING, and says whether it changed a row. */
export function* affects(...spelled: Spelled): Intent<boolean> {
  const rows = yield statement(spelled);
  return rows.length > 0;
}

/** Some rows of a table. */
export interface SomeRows {
  readonly table: string;
  /** Unique. */
  readonly key?: string | undefined;
  readonly where: Sql;
}

/** @returns how many rows were deleted, at most `most` */
export function* deleteSome({ table, key = 'id', where }: SomeRows, most: number): Intent<number> {
  const [from, by] = [raw(table), raw(key)];
  const rows = yield* all`DELETE FROM ${from}
    WHERE ${by} IN (SELECT ${by} FROM ${from} WHERE ${where} LIMIT ${most}) RETURNING ${by}`;
  return rows.length;
}

/** Few texts, so that statements stay prepared however many items there are. */
const batchSizes = [64, 16, 4, 1];

/** The items in order, as many together as one statement takes. */
export function batchesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const batches: (readonly Item[])[] = [];
  for (let at = 0; at < items.length; at += batches.at(-1)?.length ?? 0) {
    const size = batchSizes.find((one) => one <= items.length - at);
    batches.push(items.slice(at, at + (size ?? 1)));
  }
  return batches;
}

export type Column = readonly [name: string, value: SqlValue];

/** For `SET`. */
export function assigned(columns: readonly Column[]): Sql {
  return together(columns.map(([name, value]) => sql`${raw(name)} = ${value}`));
}

/** Inserts rows in order, many with one statement. @param end `ON CONFLICT …` */
export function* insertRows(table: string, rows: readonly (readonly Column[])[], end = ''): Intent<void> {
  const clause = raw(end === '' ? '' : ` ${end}`);
  const namesOf = (row: readonly Column[] = []) => row.map(([name]) => name).join(', ');
  for (let at = 0, next = 0; at < rows.length; at = next) {
    const names = namesOf(rows[at]);
    while (next < rows.length && namesOf(rows[next]) === names) next += 1;
    for (const batch of batchesOf(rows.slice(at, next))) {
      const values = batch.map((row) => among(row.map(([, value]) => value)));
      yield* run`INSERT INTO ${raw(table)} (${raw(names)}) VALUES ${together(values)}${clause}`;
    }
  }
}

/** Runs a statement whose rows do not matter. Its failure ends the intent, like that of any other statement. */
export function* run(...spelled: Spelled): Intent<void> {
  yield { ...statement(spelled), isUnread: true };
}
