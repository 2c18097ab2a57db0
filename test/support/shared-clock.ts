// The clock of a test, shared with the threads of a controller.

import type { Clock } from '../../src/platform/clock.ts';
import type { FixedClock } from './fixed-clock.ts';

export type SharedTime = Float64Array<SharedArrayBuffer>;

/** Shares the current time of a clock, and every later change at once. */
export function sharedTime(clock: Clock): SharedTime {
  const time: SharedTime = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
  const show = () => {
    time[0] = clock.now();
    time[1] = clock.monotonic();
  };
  show();
  if (isFixed(clock)) {
    const { advance, set } = clock;
    clock.advance = (by) => {
      advance(by);
      show();
    };
    clock.set = (to) => {
      set(to);
      show();
    };
  }
  // The clock runs by itself.
  else setInterval(show, 2).unref();
  return time;
}

function isFixed(clock: Clock): clock is FixedClock {
  return 'advance' in clock;
}

export function clockOf(time: SharedTime): Clock {
  return {
    now: () => time[0] as number,
    monotonic: () => time[1] as number,
    waitUntil: async () => {},
  };
}
