import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, fixedClock, HOUR, isoTime, MINUTE, SECOND, systemClock } from './clock.ts';

describe('fixed clock', () => {
  test('stands still until it is advanced', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    assert.equal(clock.now(), Date.UTC(2026, 0, 1));
    clock.advance(DAY + HOUR + MINUTE + SECOND);
    assert.equal(clock.now(), Date.UTC(2026, 0, 2, 1, 1, 1));
    assert.equal(clock.monotonic(), DAY + HOUR + MINUTE + SECOND);
  });

  test('a stepped wall clock leaves the monotonic reading alone', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    clock.advance(SECOND);
    clock.set('2025-01-01T00:00:00Z');
    assert.equal(clock.now(), Date.UTC(2025, 0, 1));
    assert.equal(clock.monotonic(), SECOND);
  });

  test('refuses what is not a time, and never runs backwards', () => {
    assert.throws(() => fixedClock('yesterday'), RangeError);
    assert.throws(() => fixedClock(Number.NaN), RangeError);
    for (const ms of [-1, Number.NaN]) assert.throws(() => fixedClock(0).advance(ms), RangeError);
  });
});

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
