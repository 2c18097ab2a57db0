// The loop of the writer thread. It takes all intents that have arrived, from whichever thread, as one batch. While a
// batch is being synced the next one gathers, so many requests share a sync and a single one does not wait.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { SqliteConnection } from './connection.ts';
import { raiseSessionVersions, type SessionVersions } from './session-versions.ts';
import { type BatchAnswer, type WriteRequest, type WriteResult, writeBatch } from './write-batch.ts';

/** Messages to the thread: intents, a port through which another thread will send some, or the request to finish. */
export type WriterMessage = readonly WriteRequest[] | { readonly joining: MessagePort } | 'close';

/** Pages of the write-ahead log are moved into the database in small steps, so that no step takes long. */
const commitsBetweenCheckpoints = 50;
const idleBeforeCheckpoint = 20;
/** The log grows beyond this only while a reader holds an old state of the database, such as a backup. Bytes. */
const logSizeLimit = 64 * 1024 * 1024;

/** Messages of the thread: answers, and first, through a port that has joined, the versions that this thread raises. */
export type WriterAnswer = BatchAnswer | { readonly versions: SessionVersions };

/**
 * Answers intents on `port`, and on ports that join, until told to close. Then closes the connection and lets the
 * thread end.
 */
export function serveWrites(
  port: MessagePort,
  connection: SqliteConnection,
  versions: SessionVersions,
): void {
  const { database } = connection;
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logSizeLimit}`);
  const raiseVersions = raiseSessionVersions(database, versions);
  const ports = new Set<MessagePort>();
  let commitsSinceCheckpoint = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  listenTo(port);

  function listenTo(joined: MessagePort): void {
    ports.add(joined);
    joined.on('close', () => ports.delete(joined));
    joined.on('message', (message: WriterMessage) => {
      const { requests, joining, isLast } = gather(ports, joined, message);
      for (const other of joining) {
        listenTo(other);
        other.postMessage({ versions } satisfies WriterAnswer);
      }
      if (requests.length > 0) {
        const answer = writeBatch(
          connection,
          requests.map(({ request }) => request),
        );
        raiseVersions();
        for (const [from, results] of byPort(requests, answer.results))
          from.postMessage({ ...answer, results } satisfies WriterAnswer);
        checkpointSoon();
      }
      if (isLast) close();
    });
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
    for (const open of ports) open.close();
  }
}

interface Arrived {
  readonly from: MessagePort;
  readonly request: WriteRequest;
}

/** Everything that has arrived by now: a message, and what waits on the ports. */
function gather(ports: ReadonlySet<MessagePort>, first: MessagePort, message: WriterMessage) {
  const requests: Arrived[] = [];
  const joining: MessagePort[] = [];
  let isLast = false;
  const take = (from: MessagePort, next: WriterMessage) => {
    if (next === 'close') isLast = true;
    else if ('joining' in next) joining.push(next.joining);
    else for (const request of next) requests.push({ from, request });
  };
  take(first, message);
  for (const from of ports) {
    for (let next = receiveMessageOnPort(from); next !== undefined; next = receiveMessageOnPort(from)) {
      take(from, next.message as WriterMessage);
    }
  }
  return { requests, joining, isLast };
}

/** @param results in the order of the requests */
function byPort(
  requests: readonly Arrived[],
  results: readonly WriteResult[],
): Map<MessagePort, WriteResult[]> {
  const grouped = new Map<MessagePort, WriteResult[]>();
  results.forEach((result, at) => {
    const from = (requests[at] as Arrived).from;
    const own = grouped.get(from);
    if (own === undefined) grouped.set(from, [result]);
    else own.push(result);
  });
  return grouped;
}
