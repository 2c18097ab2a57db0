// Entry of the thread that reads lists.

import { parentPort, workerData } from 'node:worker_threads';
import type { ListerSettings } from './list-thread.ts';
import { serveLists } from './serve-lists.ts';
import { connectSqlite } from './sqlite-connection.ts';

if (parentPort === null) throw new Error('sqlite-lister.ts runs as a worker thread');
const { path, busyTimeout } = workerData as ListerSettings;
serveLists(parentPort, connectSqlite(path, { readOnly: true, busyTimeout }));
