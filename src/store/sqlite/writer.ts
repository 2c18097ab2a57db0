// Entry of the writer thread: the only connection of this process that writes.

import { parentPort, workerData } from 'node:worker_threads';
import { connectSqlite } from './connection.ts';
import { serveWrites } from './serve-writes.ts';
import type { WriterSettings } from './writer-thread.ts';

if (parentPort === null) throw new Error('writer.ts runs as a worker thread');
const { path, busyTimeout, versions } = workerData as WriterSettings;
serveWrites(parentPort, connectSqlite(path, { readOnly: false, busyTimeout }), versions);
