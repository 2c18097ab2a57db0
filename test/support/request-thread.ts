// Entry point of a request thread of a test server: with the clock of the test, and with every answer compared with the
// declaration of its endpoint.

import { parentPort, workerData } from 'node:worker_threads';
import { runRequestThread, type ThreadData } from '../../src/controller/request-thread.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import { keyVault } from '../../src/platform/secrets/key-vault.ts';
import { sealingKey } from '../../src/platform/secrets/sealed-box.ts';
import { undeclaredIn } from './declared-answers.ts';
import { clockOf, type SharedTime } from './shared-clock.ts';

export interface TestThreadData extends ThreadData {
  /** Null: the thread uses the system's clock. */
  readonly time: SharedTime | null;
}

if (parentPort === null) throw new Error('request-thread.ts runs as a worker thread');
const port = parentPort;
const data = workerData as TestThreadData;
const clock = data.time === null ? systemClock : clockOf(data.time);
await runRequestThread({
  data,
  port,
  clock,
  random: createRandom(clock),
  vault: keyVault(sealingKey(Buffer.from(data.vaultSecret))),
  inspectAnswer(route, answer) {
    const undeclared = undeclaredIn(route, answer);
    if (undeclared === null) return;
    const entry = { level: 'error', message: 'undeclared answer', fields: { undeclared } };
    port.postMessage([{ name: 'log', argument: entry }]);
  },
});
