// One use of a connection: an intent as a transaction, repeated after an interruption.

import type { Millis } from '../../platform/clock.ts';
import { addChangeSql } from '../sql/changes.ts';
import { OutOfTime, type ReadInTurn } from '../sql/engine.ts';
import type { Intent, Statement } from '../sql/intent.ts';
import { CommitLost, CommitUnanswered, commit, type UnansweredCommits } from './commit.ts';
import {
  type Asking,
  type PostgresClient,
  type PostgresPool,
  prepareAnew,
  rowsOf,
  send,
  storable,
  unprepared,
} from './connection.ts';
import { isCancelled, isCollision, isLostConnection, isStalePlan, postgresError } from './errors.ts';
import { beginAlone, beginConcurrent, type HeldKeys, holdKeys } from './locks.ts';

/** How often to repeat after a collision before giving up. */
const maxTries = 8;

/** How many statements may be under way at once; an import has many, and each waits in memory. */
const mostUnread = 100;

/**
 * Does something on a connection of a pool, and repeats it after a collision with another transaction, after a change of
 * the tables since it was prepared, and after a lost connection: once if none can be made or no answer comes, otherwise
 * on the next one, because all that were idle may have died with their server.
 * @param options.mayRepeat asked before repeating
 * @throws StoreUnavailable, or what `use` throws
 */
export async function repeated<T>(
  pool: Pick<PostgresPool, 'connect'>,
  use: (client: PostgresClient) => Promise<T>,
  options: { readonly mayRepeat?: () => boolean; readonly unanswered?: UnansweredCommits } = {},
): Promise<T> {
  const { mayRepeat = () => true, unanswered } = options;
  let misses = 0;
  for (let tries = 1; ; tries += 1) {
    let isConnected = false;
    try {
      const client = await pool.connect();
      isConnected = true;
      return await onClient(client, () => use(client), unanswered);
    } catch (error) {
      if (isStalePlan(error)) prepareAnew();
      const isLost = isLostConnection(error);
      if (isLost && !(isConnected && saidAtOnce(error))) misses += 1;
      const isOver = tries >= maxTries || misses > 1;
      if (!(isLost || isCollision(error) || isStalePlan(error)) || isOver || !mayRepeat())
        throw postgresError(error);
    }
  }
}

/** Whether the loss of a connection was noticed by itself, not by waiting. */
function saidAtOnce(error: unknown): boolean {
  return !/timeout/.test(String(error));
}

/** Uses a connection of a pool and returns it. One that may be broken or outdated is closed. */
async function onClient<T>(
  client: PostgresClient,
  use: () => Promise<T>,
  unanswered?: UnansweredCommits,
): Promise<T> {
  try {
    const result = await use();
    client.release();
    return result;
  } catch (error) {
    if (error instanceof CommitUnanswered) unanswered?.keep(client, error.answer);
    else
      client.release(
        isLostConnection(error) || error instanceof CommitLost || isStalePlan(error) || isTimeout(error),
      );
    throw error;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['25P03', '25P04'].includes(String(error.code));
}

/**
 * Runs an intent as one transaction.
 * @param use.keys         the keys to lock beside others; null when it runs alone
 * @param use.beforeCommit called when everything except the commit is done; if it throws, the transaction is rolled
 * back
 * @throws CommitLost   the connection was lost at the commit
 */
export async function inTransaction(use: {
  readonly client: PostgresClient;
  readonly ask: Asking;
  readonly keys: HeldKeys | null;
  readonly intent: Intent<unknown>;
  readonly beforeCommit: () => void;
}): Promise<{ readonly outcome: unknown; readonly hasChanges: boolean }> {
  const { client, ask, keys, intent, beforeCommit } = use;
  // Sent without waiting, in this order. If one fails, those after it fail too.
  const sent: Promise<unknown>[] = [send(client, keys === null ? beginAlone : beginConcurrent)];
  if (keys !== null && keys[0].length > 0)
    sent.push(
      send(client, { ...ask({ sql: holdKeys, params: [] }), values: [keys[0].map(storable), keys[1]] }),
    );
  let hasChanges = false;
  let isCommitting = false;
  let isConnected = false;
  try {
    let step = intent.next();
    while (!step.done) {
      hasChanges ||= step.value.sql === addChangeSql;
      const answer = send(client, ask(held(step.value)));
      if (step.value.isUnread === true && sent.length < mostUnread) {
        sent.push(answer);
        step = intent.next([]);
      } else {
        await firstFailure([...sent.splice(0), answer]);
        isConnected = true;
        step = intent.next(rowsOf(await answer));
      }
    }
    // The last statements and COMMIT share a round trip, unless the connection may be dead, since the effect of a
    // lost COMMIT is unknown.
    if (!isConnected) await firstFailure(sent.splice(0));
    beforeCommit();
    isCommitting = true;
    // The server takes a COMMIT behind a failed statement as a ROLLBACK.
    await firstFailure([...sent.splice(0), commit(client)]);
    return { outcome: step.value, hasChanges };
  } catch (thrown) {
    // The intent may have given up with statements under way. What failed there came before its own reason.
    const error = await firstFailure(sent).then(
      () => thrown,
      (earlier: unknown) => earlier,
    );
    const isLost = isLostConnection(error);
    if (!isLost && !isCommitting) await client.query('ROLLBACK');
    throw isLost && isCommitting ? new CommitLost({ cause: error }) : error;
  }
}

function held(statement: Statement): Statement {
  const { sql, heldTable } = statement;
  return heldTable === undefined ? statement : { ...statement, sql: `${sql} FOR SHARE OF ${heldTable}` };
}

/**
 * The rows that an index finds among ten million are remembered row by row, not page by page: the other rows of a page
 * would be compared again. Lists have few connections.
 */
const enoughMemory = `SELECT set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')), 33554432) / 1024 || 'kB', true)`;

/**
 * Reads in one transaction, whose statements the server ends when their time is over.
 * @param left the time that is left
 * @throws OutOfTime
 */
export async function reading<T>(
  client: PostgresClient,
  left: () => Millis,
  use: (read: ReadInTurn) => Promise<T>,
): Promise<T> {
  const begun = send(client, `BEGIN READ ONLY; ${enoughMemory}`);
  // An intent that is refused before it reads does not wait for this, and an unhandled rejection ends the process.
  begun.catch(() => undefined);
  try {
    const result = await use(async (statement) => {
      // For the transaction alone, so that it also works behind a pooler.
      const limit = send(client, `SET LOCAL statement_timeout = ${Math.ceil(left())}`);
      const answer = send(client, unprepared(statement));
      await firstFailure([begun, limit, answer]);
      return rowsOf(await answer);
    });
    await firstFailure([begun, send(client, 'COMMIT')]);
    return result;
  } catch (error) {
    if (!isLostConnection(error)) await client.query('ROLLBACK');
    throw isCancelled(error) ? new OutOfTime() : error;
  }
}

/** If several statements failed, throws the first failure, which caused the others. */
async function firstFailure(answers: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(answers)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
