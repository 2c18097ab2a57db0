import type { Clock, Millis } from '../../src/platform/clock.ts';

export interface FixedClock extends Clock {
  /** Lets time pass: both readings grow by `ms`. */
  advance(ms: Millis): void;
  /** Sets the wall clock, as an administrator does; the monotonic time continues. */
  set(to: string | Millis): void;
}

/**
 * A clock that stands still until told otherwise. Waiting for it takes no time, or no wait would end.
 * @param start an ISO 8601 time or Millis
 * @throws RangeError when `start` (or a later `set`) is not a time
 */
export function fixedClock(start: string | Millis): FixedClock {
  let wall = toMillis(start);
  let elapsed: Millis = 0;
  return {
    now: () => wall,
    monotonic: () => elapsed,
    waitUntil: async () => {},
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('time passes forward only; use set() to step the clock back');
      wall += ms;
      elapsed += ms;
    },
    set(to) {
      wall = toMillis(to);
    },
  };
}

function toMillis(time: string | Millis): Millis {
  const millis = typeof time === 'number' ? time : Date.parse(time);
  if (!Number.isFinite(millis)) throw new RangeError(`not a time: ${String(time)}`);
  return millis;
}
