// Waiting for what must come to pass. A run may share a busy machine, so a wait ends when the thing is there, and is
// given up only when it will never come. How fast something is, only runs of full size ask, and bench/.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, type Millis, systemClock } from '../../src/platform/clock.ts';
import { isFullSize } from './size.ts';

/** How long tests wait for something that does not come. */
export const patience: Millis = 3 * MINUTE;

/** Within what time something is promised to happen: held in runs of full size, while the others only wait for it. */
export function promised(time: Millis): Millis {
  return isFullSize ? time : patience;
}

/**
 * Asks until something holds.
 * @param time within which it is promised, in Millis
 * @returns Millis that it took
 */
export async function until(time: Millis, holds: () => Promise<boolean> | boolean): Promise<Millis> {
  const begun = systemClock.monotonic();
  for (;;) {
    const isSo = await holds();
    const elapsed = systemClock.monotonic() - begun;
    if (isSo) return elapsed;
    assert.ok(elapsed < promised(time), `not after ${Math.round(elapsed)} ms`);
    await delay(20);
  }
}

/** Reads again and again until what was read is as expected. @returns what was read then */
export async function eventually<T>(read: () => Promise<T> | T, isSo: (value: T) => boolean): Promise<T> {
  const begun = systemClock.monotonic();
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    assert.ok(systemClock.monotonic() - begun < patience, JSON.stringify(value));
    await delay(20);
  }
}

/** Asserts that one of several runs takes no longer: other load on the machine rarely delays all of them. */
export async function assertOnceWithin(limit: Millis, run: () => Promise<Millis>): Promise<void> {
  const times: number[] = [];
  while (times.length < 20) {
    const time = await run();
    if (time < limit) return;
    times.push(Math.round(time));
  }
  assert.fail(`${times.join(', ')} ms, never within ${limit}`);
}
