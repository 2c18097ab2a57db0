import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, DAY, HOUR, MINUTE, systemClock } from '../platform/clock.ts';
import { onceADay } from './schedule.ts';

test('what is due once a day is also due when the clock was set, forward or back', async () => {
  let [wall, monotonic, runs] = [1000 * DAY, 0, 0];
  const clock: Clock = { ...systemClock, now: () => wall, monotonic: () => monotonic };
  const due = onceADay(clock, async () => {
    runs += 1;
  });
  const pass = async (real: number, jump = 0) => {
    monotonic += real;
    wall += real + jump;
    await due();
    return runs;
  };
  assert.equal(await pass(0), 1, 'at first');
  assert.equal(await pass(MINUTE), 1);
  assert.equal(await pass(23 * HOUR, MINUTE), 1, 'a small correction');
  assert.equal(await pass(HOUR), 2, 'after a day');
  assert.equal(await pass(MINUTE, 400 * DAY), 3, 'set forward');
  assert.equal(await pass(MINUTE), 3);
  assert.equal(await pass(MINUTE, -400 * DAY), 4, 'set back');
  assert.equal(await pass(DAY - MINUTE), 4);
  assert.equal(await pass(MINUTE), 5);
});
