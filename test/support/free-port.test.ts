import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { anyPort, freePort } from './free-port.ts';

const openSockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap').length;

test('a port that another caller has is passed over, and nothing of the attempt stays open', async () => {
  const taken = await freePort();
  const before = openSockets();
  const candidates = [taken, taken];
  const port = await freePort(() => candidates.pop() ?? anyPort());
  assert.notEqual(port, taken);
  // A socket ends some turns of the event loop after it was closed.
  for (let turn = 0; turn < 100 && openSockets() > before; turn++) await setImmediate();
  assert.equal(openSockets(), before);
});
