// The loop of the writer thread. It takes all intents that have arrived, from whichever thread, as one batch. While a
// batch is being synced the next one gathers, so many requests share a sync and a single one does not wait.

import type { MessagePort } from 'node:worker_threads';
import { type ThreadCalls, threadCalls } from '../../platform/thread-calls.ts';
import type { IntentCall } from '../sql/store.ts';
import type { SqliteConnection } from './connection.ts';
import { raiseSessionVersions, type SessionVersions } from './session-versions.ts';
import { type WriteResult, writeBatch } from './write-batch.ts';

/** Pages of the write-ahead log are moved into the database in small steps, so that no step takes long. */
const commitsBetweenCheckpoints = 50;
const idleBeforeCheckpoint = 20;
/** The log grows beyond this only while a reader holds an old state of the database, such as a backup. Bytes. */
const logSizeLimit = 64 * 1024 * 1024;

/** The answer to an intent. */
export type WriteAnswer = WriteResult & {
  /** Intents with the same number were committed together. */
  readonly batch: number;
  /** Whether the batch added entries to the change feed. */
  readonly hasChanges: boolean;
};

/** The calls of engines to this thread. */
export interface WriterAnswers {
  write(call: IntentCall): Promise<WriteAnswer>;
  /** The versions that this thread raises. */
  versions(_: null): SessionVersions;
  /** The thread with the other end of the port may ask, too. */
  join(port: MessagePort): void;
  /** Writes what has arrived, closes the database and lets the thread end. */
  close(_: null): void;
}

interface Arrived {
  readonly call: IntentCall;
  readonly resolve: (answer: WriteAnswer) => void;
}

/** Answers intents on `port`, and on ports that join, until told to close. */
export function serveWrites(
  port: MessagePort,
  connection: SqliteConnection,
  versions: SessionVersions,
): void {
  const { database } = connection;
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logSizeLimit}`);
  const raiseVersions = raiseSessionVersions(database, versions);
  const engines = new Map<MessagePort, ThreadCalls<object>>();
  let arrived: Arrived[] = [];
  let batch = 0;
  let commitsSinceCheckpoint = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  const answers: WriterAnswers = {
    write: (call) =>
      new Promise((resolve) => {
        // After the messages of all ports.
        if (arrived.push({ call, resolve }) === 1) setImmediate(writeArrived);
      }),
    versions: () => versions,
    join: listenTo,
    close() {
      writeArrived();
      setImmediate(close);
    },
  };
  listenTo(port);

  function listenTo(joined: MessagePort): void {
    engines.set(joined, threadCalls(joined, { ...answers }));
    joined.on('close', () => engines.delete(joined));
  }

  function writeArrived(): void {
    const now = arrived;
    arrived = [];
    if (now.length === 0) return;
    const { results, hasChanges } = writeBatch(
      connection,
      now.map(({ call }) => call),
    );
    raiseVersions();
    batch += 1;
    for (const [at, result] of results.entries()) now[at]?.resolve({ ...result, batch, hasChanges });
    // After the answers, which are microtasks: no caller waits for another turn of the event loop.
    for (const { sendNow } of engines.values()) queueMicrotask(sendNow);
    checkpointSoon();
  }

  function checkpointSoon(): void {
    commitsSinceCheckpoint += 1;
    clearTimeout(idleTimer);
    if (commitsSinceCheckpoint >= commitsBetweenCheckpoints) checkpoint();
    else idleTimer = setTimeout(checkpoint, idleBeforeCheckpoint).unref();
  }

  function checkpoint(): void {
    commitsSinceCheckpoint = 0;
    // Best effort: pages that another process holds are moved the next time.
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {}
  }

  function close(): void {
    clearTimeout(idleTimer);
    database.close();
    for (const [open, { sendNow }] of engines) {
      sendNow();
      open.close();
    }
  }
}
