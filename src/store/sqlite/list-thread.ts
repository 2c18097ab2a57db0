// The engine's side of the thread that reads lists. It starts with the first list: most processes never read one.

import type { Millis } from '../../platform/clock.ts';
import { openThread } from '../../platform/open-thread.ts';
import { callsOfThread } from '../../platform/thread-calls.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import { errorOf } from './errors.ts';
import type { ListerAnswers } from './serve-lists.ts';

/** Settings of the thread at its start. */
export interface ListerSettings {
  readonly path: string;
  readonly busyTimeout: Millis;
}

export function listThread(settings: ListerSettings) {
  let running: ReturnType<typeof start> | null = null;
  let isClosed = false;

  function start() {
    const worker = openThread('lister', import.meta.url, { name: 'sqlite-lister', workerData: settings });
    const thread = callsOfThread<ListerAnswers>(worker, 'the thread that reads lists');
    void thread.ended.then(() => {
      if (running === thread) running = null;
    });
    return thread;
  }

  return {
    /**
     * @param within how long the statement may take
     * @throws OutOfTime
     * @throws StoreUnavailable the thread died or was closed, or the database failed
     */
    async read(statement: Statement, within: Millis): Promise<readonly SqlRow[]> {
      if (isClosed) throw new StoreUnavailable('the store is closed');
      running ??= start();
      const answer = await running.calls.ask('read', { statement, within }).catch((error) => {
        throw new StoreUnavailable(error.message, { cause: error });
      });
      if ('failure' in answer) throw errorOf(answer.failure);
      return answer.rows;
    },
    /** Closes its connection and ends the thread. Lists under way fail. */
    async close(): Promise<void> {
      isClosed = true;
      running?.calls.tell('close', null);
      await running?.ended;
    },
  };
}
