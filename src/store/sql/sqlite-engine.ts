// SQLite: reads on the main thread's own connection, writes by the writer thread.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Millis } from '../../platform/clock.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import { type Engine, sqliteDialect } from './engine.ts';
import type { IntentArgs, IntentName, IntentOutcome } from './intents.ts';
import { connectSqlite } from './sqlite-connection.ts';
import { errorOf } from './sqlite-errors.ts';
import type { WriteRequest, WriterAnswer } from './sqlite-writer.ts';

interface Pending {
  resolve(outcome: unknown): void;
  reject(error: Error): void;
}

/** How soon commits of other processes are noticed. */
const pollInterval: Millis = 200;

/** @param path of a migrated database */
export function openSqliteEngine(path: string): Engine {
  const reader = connectSqlite(path, { readOnly: true });
  const pending = new Map<number, Pending>();
  const listeners = new Set<() => Promise<void>>();
  let gathered: WriteRequest[] = [];
  let lastId = 0;
  let isClosing = false;
  let writer = startWriter();

  function startWriter(): Worker {
    const file = new URL(`./sqlite-writer${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { name: 'sqlite-writer', workerData: { path }, env: {} });
    worker.on('message', (answer: WriterAnswer) => void settle(answer));
    worker.on('error', (cause) => failPending(new StoreUnavailable('the writer thread has died', { cause })));
    worker.on('exit', () => {
      if (worker !== writer) return;
      failPending(new StoreUnavailable('the writer thread has ended'));
      if (!isClosing) writer = startWriter();
    });
    return worker;
  }

  function failPending(error: StoreUnavailable): void {
    const waiting = [...pending.values()];
    pending.clear();
    for (const { reject } of waiting) reject(error);
  }

  async function settle({ results, hasChanges }: WriterAnswer): Promise<void> {
    // Whoever ended a session must find it ended at the next call: memory is brought up to date first.
    if (hasChanges) await notify();
    for (const result of results) {
      const waiting = pending.get(result.id);
      pending.delete(result.id);
      if (result.ok) waiting?.resolve(result.outcome);
      else waiting?.reject(errorOf(result.failure));
    }
  }

  async function notify(): Promise<void> {
    await Promise.allSettled([...listeners].map((listener) => listener()));
  }

  const dataVersion = () => reader.run({ sql: 'PRAGMA data_version', params: [] })[0]?.data_version;
  let seenVersion = dataVersion();
  const poll = setInterval(() => {
    const version = dataVersion();
    if (version === seenVersion) return;
    seenVersion = version;
    void notify();
  }, pollInterval);
  poll.unref();

  /** Intents of one turn of the event loop travel together. */
  function post(request: WriteRequest): void {
    if (gathered.push(request) > 1) return;
    queueMicrotask(() => {
      const requests = gathered;
      gathered = [];
      writer.postMessage(requests);
    });
  }

  return {
    dialect: sqliteDialect,
    write<Name extends IntentName>(name: Name, args: IntentArgs<Name>) {
      return new Promise<IntentOutcome<Name>>((resolve, reject) => {
        if (isClosing) {
          reject(new StoreUnavailable('the store is closing'));
          return;
        }
        lastId += 1;
        pending.set(lastId, { resolve: resolve as (outcome: unknown) => void, reject });
        post({ id: lastId, name, args });
      });
    },
    // Short reads at once: handing them to another thread costs more than the read.
    async read(sql, ...params) {
      try {
        return reader.run({ sql, params });
      } catch (cause) {
        throw new StoreUnavailable('a read failed', { cause });
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosing = true;
      clearInterval(poll);
      while (pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await writer.terminate();
      reader.database.close();
    },
  };
}
