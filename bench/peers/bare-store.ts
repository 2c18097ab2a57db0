import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { BareResult, BareWrite } from './bare-writer.ts';

/** Resolves after the commit is on disk: whether a row was written. */
export type Write = (statement: BareWrite['statement'], ...params: (string | number)[]) => Promise<boolean>;

/** @param place file of an SQLite database, or URL of an empty PostgreSQL one */
export function openBareStore(place: string): Promise<Write> {
  return place.startsWith('postgres') ? onPostgres(place) : Promise.resolve(onSqlite(place));
}

function onSqlite(path: string): Write {
  const writer = new Worker(new URL(`./bare-writer${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path },
  });
  const waiting = new Map<number, (changed: boolean) => void>();
  let gathered: BareWrite[] = [];
  let lastId = 0;
  writer.on('message', (results: readonly BareResult[]) => {
    for (const { id, changed } of results) {
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.(changed);
    }
  });
  return (statement, ...params) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      if (gathered.push({ id: lastId, statement, params }) > 1) return;
      setImmediate(() => {
        writer.postMessage(gathered);
        gathered = [];
      });
    });
}

const statementsOnPostgres: Readonly<Record<BareWrite['statement'], string>> = {
  openSession: 'INSERT INTO sessions (id, refresh_hash, expires_at, subject) VALUES ($1, $2, $3, $4)',
  rotate: 'UPDATE sessions SET refresh_hash = $1, expires_at = $2 WHERE id = $3 AND refresh_hash = $4',
  keepCode: 'INSERT INTO codes (hash, subject, expires_at) VALUES ($1, $2, $3)',
  useCode: 'UPDATE codes SET used_at = $1 WHERE hash = $2 AND used_at IS NULL AND expires_at > $3',
};

/** One statement, prepared on its connection, is one commit. */
async function onPostgres(url: string): Promise<Write> {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(`
    CREATE TABLE sessions (id BIGINT PRIMARY KEY, refresh_hash TEXT, expires_at BIGINT, subject TEXT);
    CREATE TABLE codes (hash TEXT PRIMARY KEY, subject TEXT, expires_at BIGINT, used_at BIGINT)`);
  return async (statement, ...params) => {
    const text = statementsOnPostgres[statement];
    return (await pool.query({ name: statement, text, values: params })).rowCount === 1;
  };
}
