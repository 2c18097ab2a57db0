// The loop of the thread that reads lists. A filter may look at every row and a sort at all of them at once; on the
// main thread every token check would wait for that.

import type { MessagePort } from 'node:worker_threads';
import { type Millis, systemClock } from '../../platform/clock.ts';
import { threadCalls } from '../../platform/thread-calls.ts';
import { OutOfTime } from '../sql/engine.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import type { SqliteConnection } from './connection.ts';
import { failureOf } from './errors.ts';

/** The calls of the engine to this thread. */
export type ListerAnswers = ReturnType<typeof answersOf>;

/** Looking at the clock for every row would take longer than most conditions. */
const rowsBetweenLooks = 64;

export function serveLists(port: MessagePort, connection: SqliteConnection): void {
  threadCalls(port, answersOf(port, connection));
}

function answersOf(port: MessagePort, { database }: SqliteConnection) {
  let ends: Millis = 0;
  let rows = 0;
  // SQLite cannot be interrupted through node:sqlite, but a function that a statement calls for each row can end it.
  database.function('within_time', { directOnly: true }, (_row) => {
    rows += 1;
    if (rows % rowsBetweenLooks === 1 && systemClock.monotonic() > ends) throw new OutOfTime();
    return 1;
  });
  return {
    /** @param asked.within the time that it may take */
    read(asked: { readonly statement: Statement; readonly within: Millis }) {
      ends = systemClock.monotonic() + asked.within;
      rows = 0;
      try {
        const found = database.prepare(asked.statement.sql).all(...asked.statement.params);
        return { rows: found as unknown as readonly SqlRow[] };
      } catch (cause) {
        return { failure: failureOf(cause) };
      }
    },
    close(_: null) {
      database.close();
      port.close();
    },
  };
}
