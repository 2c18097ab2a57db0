import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, systemClock } from './clock.ts';

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

test('a time is written as Date writes it', () => {
  const start = Date.parse('2024-02-28T23:59:59.990Z');
  const times = [0, 1, 59_999, 86_399_999, 86_400_000, 253_402_300_799_999, 253_402_300_800_000, -1, 1.5];
  for (let step = 0; step < 2000; step += 1) times.push(start + step * 7, start + step * 43_199_999);
  for (const time of times) assert.equal(isoTime(time), new Date(time).toISOString());
  for (const bad of [Number.NaN, Infinity, 9e15]) assert.throws(() => isoTime(bad), RangeError);
});
