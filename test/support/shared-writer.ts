// One thread that writes to the databases of all test servers of a process: starting a thread takes a third of the start
// of a server. Each database has a port to it of its own. The tests of the store start the thread of the service.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { WriterSettings } from '../../src/store/sqlite/writer-thread.ts';
import { atTheEnd } from './group.ts';

export interface SharedWriterData {
  readonly settings: WriterSettings;
  readonly port: MessagePort;
}

let running: Worker | undefined;

function sharedThread(): Worker {
  if (running !== undefined) return running;
  const worker = new Worker(new URL('./shared-writer-thread.ts', import.meta.url), { name: 'shared-writer' });
  // After a failure that ends it, the next database gets another one.
  worker.on('exit', () => {
    if (running === worker) running = undefined;
  });
  // Each database that is open keeps the process alive by its port.
  worker.unref();
  atTheEnd(() => worker.terminate().then(() => undefined));
  running = worker;
  return worker;
}

/** For `startWriter` of `openSqliteStore`: the end of its port is the end of the thread that the store knows. */
export function startSharedWriter(settings: WriterSettings): Worker {
  const { port1, port2 } = new MessageChannel();
  sharedThread().postMessage({ settings, port: port2 } satisfies SharedWriterData, [port2]);
  port1.on('close', () => port1.emit('exit', 0));
  // Sound because the store uses only what both have: messages, and the event.
  return port1 as unknown as Worker;
}
