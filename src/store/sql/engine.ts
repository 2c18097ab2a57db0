import type { SqlRow, SqlValue } from './intent.ts';
import type { IntentArgs, IntentName, IntentOutcome } from './intents.ts';

/** What an engine does for the implementation of the contracts. */
export interface Engine {
  readonly dialect: Dialect;
  /** Runs an intent as one atomic step; resolves after the commit is durable. */
  write<Name extends IntentName>(name: Name, args: IntentArgs<Name>): Promise<IntentOutcome<Name>>;
  read(sql: string, ...params: SqlValue[]): Promise<readonly SqlRow[]>;
  /** See `ChangeFeed.onChange`. */
  onChange(listener: () => Promise<void>): () => void;
  close(): Promise<void>;
}

/** Everything in which the engines differ as far as the shared SQL is concerned. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column type of a number that the engine counts up. */
  readonly sequence: string;
  /** Function: the position of the second text in the first one, 0 when it is not in there. */
  readonly position: 'instr' | 'strpos';
  /** Function: a text in lower case, letters beyond ASCII included. */
  readonly lowerCase: 'lower_case' | 'lower';
  /** After `LIMIT`, for all rows. */
  readonly noLimit: '-1' | 'ALL';
  /** Function: the texts of a JSON array as rows with a column `value`. */
  readonly jsonTexts: 'json_each' | 'json_array_elements_text';
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  position: 'instr',
  // Ours: the built-in `lower` knows ASCII only. Defined by sqlite-connection.ts.
  lowerCase: 'lower_case',
  noLimit: '-1',
  jsonTexts: 'json_each',
};
