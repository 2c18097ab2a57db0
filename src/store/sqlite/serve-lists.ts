// The loop of the thread that reads lists. A filter may look at every row and a sort at all of them at once; on the
// main thread every token check would wait for that.

import type { MessagePort } from 'node:worker_threads';
import { type Millis, systemClock } from '../../platform/clock.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import { OutOfTime } from '../sql/turns.ts';
import type { SqliteConnection } from './connection.ts';
import { type Failure, failureOf } from './errors.ts';

/** What the engine sends: a statement with the time that it may take, or the order to finish. */
export type ListMessage =
  | { readonly id: number; readonly statement: Statement; readonly within: Millis }
  | 'close';

export type ListAnswer =
  | { readonly id: number; readonly rows: readonly SqlRow[] }
  | { readonly id: number; readonly failure: Failure };

/** Looking at the clock for every row would take longer than most conditions. */
const rowsBetweenLooks = 64;

export function serveLists(port: MessagePort, { database }: SqliteConnection): void {
  let ends: Millis = 0;
  let rows = 0;
  // SQLite cannot be interrupted through node:sqlite, but what a statement calls for each row can end it.
  database.function('within_time', { directOnly: true }, (_row) => {
    rows += 1;
    if (rows % rowsBetweenLooks === 1 && systemClock.monotonic() > ends) throw new OutOfTime();
    return 1;
  });

  function answer({ id, statement, within }: Exclude<ListMessage, 'close'>): ListAnswer {
    ends = systemClock.monotonic() + within;
    rows = 0;
    try {
      const found = database.prepare(statement.sql).all(...statement.params);
      return { id, rows: found as unknown as readonly SqlRow[] };
    } catch (cause) {
      return { id, failure: failureOf(cause) };
    }
  }

  port.on('message', (message: ListMessage) => {
    if (message !== 'close') return port.postMessage(answer(message));
    database.close();
    port.close();
  });
}
