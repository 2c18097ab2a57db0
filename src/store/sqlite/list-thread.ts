// The engine's side of the thread that reads lists. It starts with the first list: most processes never read one.

import type { Worker } from 'node:worker_threads';
import type { Millis } from '../../platform/clock.ts';
import { openThread } from '../../platform/open-thread.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import { errorOf } from './errors.ts';
import type { ListAnswer, ListMessage } from './serve-lists.ts';

/** What the thread receives at its start. */
export interface ListerSettings {
  readonly path: string;
  readonly busyTimeout: Millis;
}

export interface ListThread {
  /**
   * @param within how long the statement may take
   * @throws OutOfTime
   * @throws StoreUnavailable the thread died or was closed, or the database failed
   */
  read(statement: Statement, within: Millis): Promise<readonly SqlRow[]>;
  /** Closes its connection and ends the thread. Lists under way fail. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: ListAnswer): void;
  reject(error: Error): void;
}

interface RunningThread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  readonly ended: Promise<void>;
}

export function listThread(settings: ListerSettings): ListThread {
  let running: RunningThread | null = null;
  let isClosed = false;
  let lastId = 0;

  function start(): RunningThread {
    const worker = openThread('lister', import.meta.url, {
      name: 'sqlite-lister',
      workerData: settings,
    });
    const waiting = new Map<number, Waiting>();
    let cause: unknown;
    worker.on('message', (answer: ListAnswer) => {
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        if (running?.worker === worker) running = null;
        const error = new StoreUnavailable('the thread that reads lists has ended', { cause });
        for (const { reject } of waiting.values()) reject(error);
        waiting.clear();
        resolve();
      });
    });
    return { worker, waiting, ended };
  }

  return {
    async read(statement, within) {
      if (isClosed) throw new StoreUnavailable('the store is closed');
      running ??= start();
      const { worker, waiting } = running;
      lastId += 1;
      const id = lastId;
      const answer = await new Promise<ListAnswer>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, statement, within } satisfies ListMessage);
      });
      if ('failure' in answer) throw errorOf(answer.failure);
      return answer.rows;
    },
    async close() {
      isClosed = true;
      if (running === null) return;
      running.worker.postMessage('close' satisfies ListMessage);
      await running.ended;
    },
  };
}
