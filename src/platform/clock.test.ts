import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, systemClock } from './clock.ts';
import { DAY } from './time-units.ts';

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

test('times are written as the runtime writes them, also years with more than four digits', () => {
  const now = Date.UTC(2026, 1, 28, 23, 59, 59, 999);
  const times = [
    0,
    1,
    -1,
    DAY - 1,
    DAY,
    -DAY,
    now,
    now + 1,
    now - DAY,
    now,
    8.64e15,
    -8.64e15,
    253402300800000,
  ];
  const further = Array.from({ length: 9000 }, (_, at) => now + at * 97_127_417 - at * at * 3_557);
  for (const time of [...times, ...further, ...times])
    assert.equal(isoTime(time), new Date(time).toISOString());
  assert.equal(isoTime(now + 0.75), new Date(now).toISOString());
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 8.65e15])
    assert.throws(() => isoTime(time), RangeError);
});
