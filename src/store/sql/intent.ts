// store/sql implements the contracts once, for every engine. An intent is a generator over statements: it says
// what to ask and what to do with the answer, and the engine decides how (at once inside the writer thread of
// SQLite, or with awaits in a transaction of PostgreSQL). Whatever one intent does is one atomic step.

/** A value that both engines store alike: text, integers (Millis, 0 and 1 for booleans) and null. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  /** Placeholders are `?`. */
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/**
 * The body of an intent: yields statements, is given their rows, returns the outcome. Its arguments and its outcome
 * cross threads, so they hold plain data only.
 */
export type Intent<Outcome> = Generator<Statement, Outcome, readonly SqlRow[]>;

/** Runs a statement and gives all its rows. */
export function* all(sql: string, ...params: SqlValue[]): Intent<readonly SqlRow[]> {
  return yield { sql, params };
}

/** Runs a statement and gives its first row, if it has one. */
export function* first(sql: string, ...params: SqlValue[]): Intent<SqlRow | undefined> {
  const rows = yield { sql, params };
  return rows[0];
}
