// Entry of the thread that reads lists.

import { parentPort, workerData } from 'node:worker_threads';
import { connectSqlite } from './connection.ts';
import type { ListerSettings } from './list-thread.ts';
import { serveLists } from './serve-lists.ts';

if (parentPort === null) throw new Error('lister.ts runs as a worker thread');
const { path, busyTimeout } = workerData as ListerSettings;
serveLists(parentPort, connectSqlite(path, { readOnly: true, busyTimeout }));
