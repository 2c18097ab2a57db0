// A writer thread whose database can be kept from growing, as on a full disk.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { connectSqlite } from '../../src/store/sqlite/connection.ts';
import { serveWrites } from '../../src/store/sqlite/serve-writes.ts';
import type { WriterSettings } from '../../src/store/sqlite/writer-thread.ts';

export type LimitedWriterSettings = WriterSettings & { readonly limits: MessagePort };

if (parentPort === null) throw new Error('limited-writer.ts runs as a worker thread');
const { path, busyTimeout, versions, limits } = workerData as LimitedWriterSettings;
const connection = connectSqlite(path, { readOnly: false, busyTimeout });
limits.on('message', (pages: number) => {
  connection.database.exec(`PRAGMA max_page_count = ${pages}`);
  limits.postMessage('set');
});
limits.unref();
serveWrites(parentPort, connection, versions);
