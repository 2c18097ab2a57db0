// The loop of the thread that reads lists. A filter may look at every row and a sort at all of them at once; on the
// main thread every token check would wait for that. Rows are sent in batches, each when requested.

import type { MessagePort } from 'node:worker_threads';
import { chunkSize } from '../../platform/in-chunks.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import type { SqliteConnection } from './connection.ts';
import { type Failure, failureOf } from './errors.ts';

/** What the engine sends: start a list, send its next batch, give it up, or finish. */
export type ListMessage =
  | { readonly id: number; readonly statement?: Statement }
  | { readonly givenUp: number }
  | 'close';

export type ListAnswer =
  | { readonly id: number; readonly rows: readonly SqlRow[]; readonly isLast: boolean }
  | { readonly id: number; readonly failure: Failure };

export function serveLists(port: MessagePort, { database }: SqliteConnection): void {
  const open = new Map<number, Iterator<unknown>>();

  function answer(id: number, statement: Statement | undefined): ListAnswer {
    try {
      // Prepared for each list, because two lists being read must not share a cursor.
      if (statement !== undefined) open.set(id, database.prepare(statement.sql).iterate(...statement.params));
      const rows: SqlRow[] = [];
      const iterator = open.get(id);
      while (rows.length < chunkSize) {
        const next = iterator?.next();
        if (next === undefined || next.done === true) {
          open.delete(id);
          return { id, rows, isLast: true };
        }
        rows.push(next.value as SqlRow);
      }
      return { id, rows, isLast: false };
    } catch (cause) {
      open.delete(id);
      return { id, failure: failureOf(cause) };
    }
  }

  /** As long as a statement is open, it holds the state that it reads, and the write-ahead log grows with every change. */
  function giveUp(id: number): void {
    open.get(id)?.return?.();
    open.delete(id);
  }

  port.on('message', (message: ListMessage) => {
    if (message === 'close') {
      database.close();
      port.close();
      return;
    }
    if ('givenUp' in message) giveUp(message.givenUp);
    else port.postMessage(answer(message.id, message.statement));
  });
}
