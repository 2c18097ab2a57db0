import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('waiting for the system clock ends at that time, or at once if it has passed', async () => {
  for (const wait of [-1000, 0, 0.4, 1, 1.6, 7.3]) {
    const at = systemClock.monotonic() + wait;
    await systemClock.waitUntil(at);
    assert.ok(systemClock.monotonic() >= at, `${wait} ms`);
  }
});

test('the system clock tells the time in milliseconds', () => {
  assert.ok(systemClock.now() > Date.UTC(2025, 0, 1));
  const before = systemClock.monotonic();
  assert.ok(systemClock.monotonic() >= before);
});
