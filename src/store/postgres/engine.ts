// The PostgreSQL engine: each intent is one transaction on a connection of a pool.

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { chunkSize } from '../../platform/in-chunks.ts';
import type { ChangeListener, ChangeNotice } from '../contracts/changes.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import { addChangeSql } from '../sql/changes.ts';
import { type Engine, postgresDialect, type WriteOptions } from '../sql/engine.ts';
import type { Intent, SqlRow, Statement } from '../sql/intent.ts';
import {
  type IntentArgs,
  type IntentCall,
  type IntentName,
  type IntentOutcome,
  intentOf,
} from '../sql/store.ts';
import { CommitUnanswered, commit, type UnansweredCommits, unansweredCommits } from './commit.ts';
import {
  openPool,
  type PostgresClient,
  type PostgresSettings,
  prepareAnew,
  prepared,
  rowsOf,
  unprepared,
} from './connection.ts';
import { isCollision, isLostConnection, isStalePlan, postgresError } from './errors.ts';
import { changesChannel, followChanges } from './feed.ts';
import { beginAlone, beginBesideOthers, comesAfterActivity, holdFeed, holdKeys, keysOf } from './locks.ts';

/** How often an intent is begun again after a collision, before whoever asked is told to. */
const maxTries = 8;
/** Beyond that many a server that has become slow would cost memory without end, and answers nobody waits for. */
const maxWaiting = 10_000;

/** Of a migrated database. */
export function openPostgresEngine(settings: PostgresSettings): Engine {
  // Apart, so that reads do not wait behind writes that wait for one another.
  const writers = openPool(settings, Math.ceil(settings.maxConnections / 2));
  const readers = openPool(settings, Math.max(1, Math.floor(settings.maxConnections / 2)));
  const unanswered = unansweredCommits(readers);
  const listeners = new Set<ChangeListener>();
  const underWay = new Set<Promise<unknown>>();
  /** Settles when all activity of before is written down. */
  let activity: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  async function notify(notice: ChangeNotice): Promise<void> {
    await Promise.allSettled([...listeners].map(async (listener) => listener(notice)));
  }
  const feed = followChanges({ settings, readers, notify });

  async function write<Name extends IntentName>(
    name: Name,
    args: IntentArgs<Name>,
    { within = Number.POSITIVE_INFINITY, caller }: WriteOptions = {},
  ): Promise<IntentOutcome<Name>> {
    const begun = systemClock.monotonic();
    const requireInTime = () => {
      if (systemClock.monotonic() - begun > within) throw new StoreUnavailable('it has waited for too long');
    };
    if (closing !== null) throw new StoreUnavailable('the store is closing');
    if (underWay.size >= maxWaiting) throw new StoreUnavailable('too many writes are waiting');
    const call = { name, args, caller };
    const run = () => writeWithRetries(call, requireInTime);
    const running = comesAfterActivity(call) ? activity.then(run) : run();
    underWay.add(running);
    if (name === 'recordActivity') activity = Promise.allSettled([activity, running]);
    try {
      const { outcome, hasChanges } = await running;
      // Whoever ended a session must find it ended at the next call: memory is brought up to date first.
      if (hasChanges) await notify('perhaps-new');
      return outcome as IntentOutcome<Name>;
    } finally {
      underWay.delete(running);
    }
  }

  async function writeWithRetries(call: IntentCall, requireInTime: () => void) {
    const keys = keysOf(call);
    for (let tries = 1; ; tries += 1) {
      const attempt = { committing: false };
      try {
        const client = await writers.connect();
        const intent = intentOf(call);
        return await onClient(
          client,
          () => inTransaction(client, keys, intent, attempt, requireInTime),
          unanswered,
        );
      } catch (error) {
        if (isStalePlan(error)) prepareAnew();
        // A commit whose answer was lost may have taken effect: only what came before it is begun again.
        const canRepeat =
          isCollision(error) || isStalePlan(error) || (isLostConnection(error) && !attempt.committing);
        const limit = isLostConnection(error) ? 2 : maxTries;
        if (!canRepeat || tries >= limit || closing !== null) throw postgresError(error);
      }
    }
  }

  async function read(statement: Statement, isFixed: boolean): Promise<readonly SqlRow[]> {
    if (closing !== null) throw new StoreUnavailable('the store is closed');
    for (let tries = 1; ; tries += 1) {
      try {
        const client = await readers.connect();
        const query = isFixed ? prepared(statement) : unprepared(statement);
        return rowsOf(await onClient(client, () => client.query(query)));
      } catch (error) {
        if (isStalePlan(error)) prepareAnew();
        // A connection that was idle may have died with the server that it led to.
        const limit = isLostConnection(error) ? 2 : maxTries;
        const canRepeat = isCollision(error) || isStalePlan(error) || isLostConnection(error);
        if (!canRepeat || tries >= limit) throw postgresError(error);
      }
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    await feed.stop();
    unanswered.close();
    await Promise.all([writers.end(), readers.end()]);
  }

  return {
    dialect: postgresDialect,
    write,
    read: (sql, ...params) => read({ sql, params }, true),
    async *readList(statement) {
      const rows = await read(statement, false);
      for (let at = 0; at < rows.length; at += chunkSize) {
        yield rows.slice(at, at + chunkSize);
        await setImmediate();
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Uses a connection of a pool and gives it back; one that may be broken, or out of date, is thrown away. */
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
    else client.release(isLostConnection(error) || isStalePlan(error) || isTimeout(error));
    throw error;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25P03';
}

async function inTransaction(
  client: PostgresClient,
  keys: readonly string[] | null,
  intent: Intent<unknown>,
  attempt: { committing: boolean },
  requireInTime: () => void,
): Promise<{ readonly outcome: unknown; readonly hasChanges: boolean }> {
  // Sent together, in this order; a failure of one makes those behind it fail too.
  const opening: Promise<unknown>[] = [client.query(keys === null ? beginAlone : beginBesideOthers)];
  if (keys !== null && keys.length > 0) opening.push(client.query(holdKeys, [keys]));
  let hasChanges = false;
  try {
    let step = intent.next();
    while (!step.done) {
      if (step.value.sql === addChangeSql && !hasChanges) {
        hasChanges = true;
        opening.push(client.query(holdFeed));
      }
      const answer = client.query(prepared(step.value));
      const [result] = await firstFailure(answer, opening.splice(0));
      step = intent.next(rowsOf(result));
    }
    if (hasChanges) opening.push(client.query(`NOTIFY ${changesChannel}`));
    await Promise.all(opening.splice(0));
    requireInTime();
    attempt.committing = true;
    await commit(client);
    return { outcome: step.value, hasChanges };
  } catch (error) {
    if (!isLostConnection(error) && !attempt.committing) await client.query('ROLLBACK');
    throw error;
  }
}

/** The answer, after all that was sent before it; of several failures the first one, which caused the others. */
async function firstFailure<T>(answer: Promise<T>, before: readonly Promise<unknown>[]): Promise<[T]> {
  const settled = await Promise.allSettled([...before, answer]);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return [await answer];
}
