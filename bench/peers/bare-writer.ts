// The writer thread of the bare peer: all that arrived during one commit is in the next one.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

/** A number of the statement and its parameters. */
export interface BareWrite {
  readonly id: number;
  readonly statement: keyof typeof statements;
  readonly params: readonly (string | number)[];
}

export interface BareResult {
  readonly id: number;
  readonly changed: boolean;
}

const schema = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
  CREATE TABLE sessions (id INTEGER PRIMARY KEY, refresh_hash TEXT, expires_at INTEGER, subject TEXT);
  CREATE TABLE codes (hash TEXT PRIMARY KEY, subject TEXT, expires_at INTEGER, used_at INTEGER) WITHOUT ROWID;`;

const statements = {
  openSession: 'INSERT INTO sessions (id, refresh_hash, expires_at, subject) VALUES (?, ?, ?, ?)',
  rotate: 'UPDATE sessions SET refresh_hash = ?, expires_at = ? WHERE id = ? AND refresh_hash = ?',
  keepCode: 'INSERT INTO codes (hash, subject, expires_at) VALUES (?, ?, ?)',
  useCode: 'UPDATE codes SET used_at = ? WHERE hash = ? AND used_at IS NULL AND expires_at > ?',
} as const;

const commitsBetweenCheckpoints = 50;

const port = parentPort;
if (port === null) throw new Error('bare-writer.ts runs as a worker thread');
const database = new DatabaseSync((workerData as { path: string }).path);
database.exec(schema);
const prepared = new Map(Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]));
let commits = 0;

port.on('message', (first: readonly BareWrite[]) => {
  const writes = [...first];
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    writes.push(...(more.message as readonly BareWrite[]));
  }
  database.exec('BEGIN IMMEDIATE');
  const results = writes.map(({ id, statement, params }): BareResult => {
    const { changes } = prepared.get(statement)?.run(...params) ?? { changes: 0 };
    return { id, changed: changes === 1 };
  });
  database.exec('COMMIT');
  port.postMessage(results);
  commits += 1;
  if (commits % commitsBetweenCheckpoints === 0) database.exec('PRAGMA wal_checkpoint(PASSIVE)');
});
