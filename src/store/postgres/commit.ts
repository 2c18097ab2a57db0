// COMMIT, whose answer may take long: a server that has to wait for a standby (synchronous_standby_names) waits for
// ever while the standby is away. Meanwhile the transaction is complete on the server, holds its locks, and is visible
// to no other transaction until the standby has it or an administrator cancels the wait.

import { setTimeout as pause } from 'node:timers/promises';
import type { NoticeMessage } from 'pg-protocol/dist/messages.js';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { OutcomeUnknown, StoreUnavailable } from '../contracts/store.ts';
import { type PostgresClient, type PostgresPool, send } from './connection.ts';

/** How long the caller waits for the answer; as long as for a lock. */
const patience: Millis = 10 * SECOND;
/** How often to check whether the server still works on it. */
const askAgain: Millis = 5 * SECOND;
/** The longest time that a timer supports. */
const endless: Millis = 2 ** 31 - 1;
/** A warning of the server without its own state. */
const warning = '01000';

/** The outcome of a commit is unknown, and its connection is not free until `answer` settles. */
export class CommitUnanswered extends OutcomeUnknown {
  readonly answer: Promise<unknown>;
  constructor(answer: Promise<unknown>) {
    super('the database does not confirm the commit; it may wait for a standby that is away');
    this.answer = answer;
  }
}

/** The commit may have taken effect. Its connection is broken. */
export class CommitLost extends OutcomeUnknown {
  constructor(options: ErrorOptions) {
    super('the connection to the database was lost at the commit, which may have taken effect', options);
  }
}

/**
 * Ends the transaction of a connection.
 * @throws CommitUnanswered  no answer in time
 * @throws StoreUnavailable  it failed, or was confirmed without the standby that the server should wait for
 */
export async function commit(client: PostgresClient): Promise<void> {
  let isInDoubt = false;
  const onNotice = ({ code }: Pick<NoticeMessage, 'code'>) => {
    // The wait was cancelled: the commit is on this server, and perhaps on no other.
    if (code === warning) isInDoubt = true;
  };
  client.on('notice', onNotice);
  const answer = send(client, { text: 'COMMIT', query_timeout: endless } as {
    readonly text: string;
  }).finally(() => client.off('notice', onNotice));
  const first = await inTime(answer);
  if (first === null) {
    // The holder of the connection handles the failure.
    answer.catch(() => undefined);
    throw new CommitUnanswered(answer);
  }
  // The server answers the COMMIT of a failed transaction with ROLLBACK.
  if (first.command !== 'COMMIT') throw new StoreUnavailable('the database took the transaction back');
  if (isInDoubt)
    throw new OutcomeUnknown('the database stopped waiting for its standby: it may lack the commit');
}

/** null: no answer in time. */
function inTime<T>(answer: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, patience, null).unref();
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export type UnansweredCommits = ReturnType<typeof unansweredCommits>;

/**
 * Holds connections whose commit was given up, as long as the server works on it. Closing one would free it here but
 * not on the server, which ignores its connections while it waits for a standby, and would soon have none left.
 */
export function unansweredCommits(readers: PostgresPool) {
  const kept = new Set<PostgresClient>();

  function giveBack(client: PostgresClient, isBroken: boolean): void {
    if (kept.delete(client)) client.release(isBroken);
  }

  async function watch(client: PostgresClient, answer: Promise<unknown>): Promise<void> {
    const settled = answer.then(
      () => giveBack(client, false),
      () => giveBack(client, true),
    );
    for (let misses = 0; kept.has(client); ) {
      await Promise.race([settled, pause(askAgain, null, { ref: false })]);
      if (!kept.has(client)) return;
      misses = (await isAtWork(readers, client)) ? 0 : misses + 1;
      // The connection is dead, or leads to another server by now.
      if (misses === 2) giveBack(client, true);
    }
  }

  return {
    /** Returns the connection to its pool when its commit has finished. */
    keep(client: PostgresClient, answer: Promise<unknown>) {
      kept.add(client);
      void watch(client, answer);
    },
    /** Drops all connections. */
    close() {
      for (const client of [...kept]) giveBack(client, true);
    },
  };
}

/** A pooler invents process numbers, so behind one nothing is found and the connection is closed. */
async function isAtWork(readers: PostgresPool, client: PostgresClient): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number };
  try {
    const found = await readers.query(
      `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND usename = current_user`,
      [processID],
    );
    return found.rows.length > 0;
  } catch {
    return false;
  }
}
