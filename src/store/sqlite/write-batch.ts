// A batch of intents in the writer thread: one transaction, one sync.

import { addChangeSql } from '../sql/changes.ts';
import { type IntentCall, intentOf } from '../sql/store.ts';
import type { SqliteConnection } from './connection.ts';
import { type Failure, failureOf } from './errors.ts';

export type WriteResult =
  | { readonly ok: true; readonly outcome: unknown }
  | { readonly ok: false; readonly failure: Failure };

interface WrittenBatch {
  /** In the order of the intents. */
  readonly results: readonly WriteResult[];
  /** Whether the batch added entries to the change feed. */
  readonly hasChanges: boolean;
}

/**
 * Runs all intents in one transaction and answers once it is synced to disk. An intent that fails undoes only its own
 * changes; if the database fails, every intent of the batch fails and none takes effect.
 */
export function writeBatch(connection: SqliteConnection, calls: readonly IntentCall[]): WrittenBatch {
  try {
    return inTransaction(connection, (noteChanges) =>
      calls.map((call) => run(connection, call, noteChanges)),
    );
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === 'unavailable' || calls.length === 1) return allFailed(calls, failure);
    // Intents rarely fail, and savepoints would cost every intent something. So they are used only after a failure:
    // nothing has taken effect yet, and the batch starts again with them.
    return writeGuarded(connection, calls);
  }
}

function writeGuarded(connection: SqliteConnection, calls: readonly IntentCall[]): WrittenBatch {
  try {
    return inTransaction(connection, (noteChanges) =>
      calls.map((call) => runGuarded(connection, call, noteChanges)),
    );
  } catch (error) {
    return allFailed(calls, failureOf(error));
  }
}

function allFailed(calls: readonly IntentCall[], failure: Failure): WrittenBatch {
  return { results: calls.map(() => ({ ok: false, failure })), hasChanges: false };
}

function inTransaction(
  { database, execute, requireInPlace }: SqliteConnection,
  body: (noteChanges: () => void) => readonly WriteResult[],
): WrittenBatch {
  let hasChanges = false;
  // A failure that also hit the rollback leaves this open.
  if (database.isTransaction) execute('ROLLBACK');
  execute('BEGIN IMMEDIATE');
  try {
    const results = body(() => {
      hasChanges = true;
    });
    requireInPlace();
    execute('COMMIT');
    return { results, hasChanges };
  } catch (error) {
    // A full or failing disk may have ended the transaction already.
    if (database.isTransaction) execute('ROLLBACK');
    throw error;
  }
}

function runGuarded(connection: SqliteConnection, call: IntentCall, noteChanges: () => void): WriteResult {
  connection.execute('SAVEPOINT intent');
  try {
    const result = run(connection, call, noteChanges);
    connection.execute('RELEASE intent');
    return result;
  } catch (error) {
    const failure = failureOf(error);
    // If the database fails for one intent, it fails for the batch.
    if (failure.kind === 'unavailable' || !connection.database.isTransaction) throw error;
    connection.execute('ROLLBACK TO intent');
    connection.execute('RELEASE intent');
    return { ok: false, failure };
  }
}

function run(connection: SqliteConnection, call: IntentCall, noteChanges: () => void): WriteResult {
  const intent = intentOf(call);
  let step = intent.next();
  while (!step.done) {
    if (step.value.sql === addChangeSql) noteChanges();
    step = intent.next(connection.run(step.value));
  }
  return { ok: true, outcome: step.value };
}
