// The loop of the writer thread. It takes all intents that have arrived as one batch: while a batch is being
// synced the next one gathers, so many requests share a sync and a lone one does not wait.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { SqliteConnection } from './connection.ts';
import { type WriteRequest, writeBatch } from './write-batch.ts';

/** What the engine sends: intents, or the wish that the thread finishes. */
export type WriterMessage = readonly WriteRequest[] | 'close';

/** Pages of the write-ahead log are moved into the database in small steps, so that none takes long. */
const commitsBetweenCheckpoints = 50;
const idleBeforeCheckpoint = 20;
/** The log grows beyond that only while somebody reads an old state of the database, such as a backup. Bytes. */
const logSizeLimit = 64 * 1024 * 1024;

/** Answers intents on `port` until told to close; then closes the connection and lets the thread end. */
export function serveWrites(port: MessagePort, connection: SqliteConnection): void {
  const { database } = connection;
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logSizeLimit}`);
  let commitsSinceCheckpoint = 0;
  let idleTimer: NodeJS.Timeout | undefined;

  port.on('message', (message: WriterMessage) => {
    const { requests, isLast } = gather(port, message);
    if (requests.length > 0) {
      port.postMessage(writeBatch(connection, requests));
      checkpointSoon();
    }
    if (isLast) close();
  });

  function checkpointSoon(): void {
    commitsSinceCheckpoint += 1;
    clearTimeout(idleTimer);
    if (commitsSinceCheckpoint >= commitsBetweenCheckpoints) checkpoint();
    else idleTimer = setTimeout(checkpoint, idleBeforeCheckpoint).unref();
  }

  function checkpoint(): void {
    commitsSinceCheckpoint = 0;
    // Best effort: what another process holds up is moved at the next turn.
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {}
  }

  function close(): void {
    clearTimeout(idleTimer);
    database.close();
    port.close();
  }
}

function gather(port: MessagePort, message: WriterMessage) {
  const requests: WriteRequest[] = [];
  for (let next: WriterMessage | undefined = message; next !== undefined; ) {
    if (next === 'close') return { requests, isLast: true };
    requests.push(...next);
    next = receiveMessageOnPort(port)?.message as WriterMessage | undefined;
  }
  return { requests, isLast: false };
}
