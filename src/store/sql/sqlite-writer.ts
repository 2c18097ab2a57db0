// The one thread that writes to SQLite. It takes all intents that have arrived, runs them in one transaction
// and answers after the commit is synced to disk: while one commit is under way the next batch gathers, so many
// requests share a sync and a lone one does not wait.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Intent } from './intent.ts';
import { type IntentName, intents } from './intents.ts';
import { connectSqlite } from './sqlite-connection.ts';
import { type WriteFailure, writeFailureOf } from './sqlite-errors.ts';

export interface WriteRequest {
  readonly id: number;
  readonly name: IntentName;
  readonly args: unknown;
}

export type WriteResult =
  | { readonly id: number; readonly ok: true; readonly outcome: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: WriteFailure };

export interface WriterAnswer {
  readonly results: readonly WriteResult[];
  /** Whether the batch added entries to the change feed. */
  readonly hasChanges: boolean;
}

/** Write-ahead log pages are moved into the database in small steps, so that none takes long. */
const commitsBetweenCheckpoints = 50;
const idleBeforeCheckpoint = 20;

const port = parentPort;
if (port === null) throw new Error('sqlite-writer.ts runs as a worker thread');
const connection = connectSqlite((workerData as { path: string }).path, { readOnly: false });
const { database } = connection;
database.exec('PRAGMA wal_autocheckpoint = 0');

let commitsSinceCheckpoint = 0;
let idleTimer: NodeJS.Timeout | undefined;
let hasChanges = false;

port.on('message', (firstRequests: readonly WriteRequest[]) => {
  const requests = [...firstRequests];
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    requests.push(...(more.message as readonly WriteRequest[]));
  }
  const results = commit(requests);
  port.postMessage({ results, hasChanges } satisfies WriterAnswer);
  checkpointSoon();
});

/** Runs every request in one transaction; a request that throws takes back only what it did itself. */
function commit(requests: readonly WriteRequest[]): readonly WriteResult[] {
  hasChanges = false;
  try {
    database.exec('BEGIN IMMEDIATE');
    const results = requests.map(runAlone);
    database.exec('COMMIT');
    return results;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    hasChanges = false;
    const failure = writeFailureOf(error);
    return requests.map(({ id }) => ({ id, ok: false, failure }));
  }
}

function runAlone(request: WriteRequest): WriteResult {
  database.exec('SAVEPOINT intent');
  try {
    const body = intents[request.name] as (args: unknown) => Intent<unknown>;
    const outcome = drive(body(request.args));
    database.exec('RELEASE intent');
    return { id: request.id, ok: true, outcome };
  } catch (error) {
    // A failure of the disk may have ended the whole transaction: then the batch as a whole has failed.
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO intent; RELEASE intent');
    return { id: request.id, ok: false, failure: writeFailureOf(error) };
  }
}

function drive<Outcome>(intent: Intent<Outcome>): Outcome {
  let step = intent.next();
  while (!step.done) {
    if (step.value.sql.startsWith('INSERT INTO changes')) hasChanges = true;
    step = intent.next(connection.run(step.value));
  }
  return step.value;
}

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
