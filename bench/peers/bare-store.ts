import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BareResult, BareWrite } from './bare-writer.ts';

/** Resolves after the commit is on disk: whether a row was written. */
export type Write = (statement: BareWrite['statement'], ...params: (string | number)[]) => Promise<boolean>;

export function openBareStore(path: string): Write {
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
      queueMicrotask(() => {
        writer.postMessage(gathered);
        gathered = [];
      });
    });
}
