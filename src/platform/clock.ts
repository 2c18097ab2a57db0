import { setImmediate, setTimeout } from 'node:timers/promises';
import { DAY, MINUTE, type Millis, SECOND } from './time-units.ts';

export { DAY, HOUR, MINUTE, type Millis, SECOND, type Seconds } from './time-units.ts';

export interface Clock {
  /** Wall-clock time. It may jump when the machine's time is corrected. */
  now(): Millis;
  /** Time since an arbitrary start. Never goes back. For measuring durations only. */
  monotonic(): Millis;
  /** Resolves when `monotonic` has reached `at`: never earlier, and to the microsecond if the machine is not busy. */
  waitUntil(at: Millis): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  waitUntil,
};

/** How late a timer may be on an idle machine. */
const timerDelay: Millis = 0.25;

/**
 * A timer alone waits whole milliseconds from when it is set, so the fraction at which it fires would be that of the
 * work before it. The last millisecond or so therefore passes in turns of the event loop, each of which lets other work
 * run.
 */
async function waitUntil(at: Millis): Promise<void> {
  const whole = Math.floor(at - performance.now() - timerDelay);
  if (whole >= 1) await setTimeout(whole);
  while (performance.now() < at) await setImmediate();
}

// After the year 9999, ISO 8601 needs a sign.
const lastPlain: Millis = Date.UTC(10_000, 0, 1) - 1;
/** `YYYY-MM-DDT` of recently written days, by their number since 1970. */
const dates = new Map<number, string>();
const mostDates = 1000;

/**
 * ISO 8601 in UTC with milliseconds, as Date writes it. Every API call writes a few times, most of them within a few
 * days, so their dates are cached.
 * @throws RangeError not a time
 */
export function isoTime(time: Millis): string {
  if (!Number.isInteger(time) || time < 0 || time > lastPlain) return new Date(time).toISOString();
  const day = Math.floor(time / DAY);
  const rest = time - day * DAY;
  const minutes = Math.floor(rest / MINUTE);
  const seconds = Math.floor(rest / SECOND) - minutes * 60;
  return `${dateOf(day)}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds)}.${three(rest % SECOND)}Z`;
}

export function isoTimeOrNull(time: Millis | null): string | null {
  return time === null ? null : isoTime(time);
}

function dateOf(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * DAY).toISOString().slice(0, 'YYYY-MM-DDT'.length);
  if (dates.size >= mostDates) dates.clear();
  dates.set(day, date);
  return date;
}

function two(n: number): string {
  return n < 10 ? `0${n}` : `${n}`;
}

function three(n: number): string {
  return n < 100 ? `0${two(n)}` : `${n}`;
}
