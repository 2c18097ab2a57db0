import { setImmediate, setTimeout } from 'node:timers/promises';
import { MINUTE, type Millis } from './time-units.ts';

export { DAY, HOUR, MINUTE, type Millis, SECOND, type Seconds } from './time-units.ts';

export interface Clock {
  /** Wall-clock time. It may jump when the machine's time is corrected. */
  now(): Millis;
  /** Time since an arbitrary start. Never goes back. For measuring durations only. */
  monotonic(): Millis;
  /** Resolves when `monotonic` has reached `at`: never earlier, and to the microsecond if the machine is not busy. */
  waitUntil(at: Millis): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now(), waitUntil };

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

/** `2026-11-27T22:41:` by the minute. A document has up to six times, and `toISOString` takes a microsecond for each. */
const minutes = new Map<number, string>();
const mostMinutes = 4000;

/** ISO 8601 in UTC with milliseconds. @throws RangeError not a time */
export function isoTime(time: Millis): string {
  const minute = Math.floor(time / MINUTE);
  const within = String(Math.floor(time) - minute * MINUTE).padStart(5, '0');
  return `${minutes.get(minute) ?? writeMinute(minute)}${within.slice(0, 2)}.${within.slice(2)}Z`;
}

function writeMinute(minute: number): string {
  const text = new Date(minute * MINUTE).toISOString().slice(0, -'00.000Z'.length);
  if (minutes.size >= mostMinutes) minutes.clear();
  minutes.set(minute, text);
  return text;
}

export function isoTimeOrNull(time: Millis | null): string | null {
  return time === null ? null : isoTime(time);
}
