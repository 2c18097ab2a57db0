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
  /** Case-insensitive comparison of texts, as an operator or a function of two operands. */
  readonly likeWithoutCase: 'LIKE' | 'ILIKE';
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  likeWithoutCase: 'LIKE',
};
