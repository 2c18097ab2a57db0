// Entry point of the thread that all test servers of a process share for writing.

import { parentPort } from 'node:worker_threads';
import { connectSqlite } from '../../src/store/sqlite/connection.ts';
import { serveWrites } from '../../src/store/sqlite/serve-writes.ts';
import type { SharedWriterData } from './shared-writer.ts';

parentPort?.on('message', ({ settings, port }: SharedWriterData) => {
  const { path, busyTimeout, versions } = settings;
  serveWrites(port, connectSqlite(path, { readOnly: false, busyTimeout }), versions);
});
