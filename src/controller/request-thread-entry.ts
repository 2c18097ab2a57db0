// Entry point of a request thread.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../platform/clock.ts';
import { createRandom } from '../platform/random.ts';
import { openVault } from '../platform/secrets/key-files.ts';
import { sealingKey } from '../platform/secrets/sealed-box.ts';
import { runRequestThread, type ThreadData } from './request-thread.ts';

if (parentPort === null) throw new Error('request-thread-entry.ts runs as a worker thread');
const data = workerData as ThreadData;
await runRequestThread({
  data,
  port: parentPort,
  clock: systemClock,
  random: createRandom(systemClock),
  vault: openVault(data.config.secrets.keyFile, process.env, sealingKey(Buffer.from(data.vaultSecret))),
});
