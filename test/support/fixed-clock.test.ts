import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { fixedClock } from './fixed-clock.ts';

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
