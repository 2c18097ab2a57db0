import { type Clock, DAY, HOUR, type Millis } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';

/**
 * Runs a task repeatedly, never twice at the same time, until stopped. A failure is logged and does not
 * end it. The timer does not keep the process alive.
 * @returns stops it, and waits for a run that is under way
 */
export function every(
  interval: Millis,
  { name, log, startsNow = false }: { name: string; log: Logger; startsNow?: boolean },
  task: () => Promise<unknown>,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  const run = () => {
    running ??= task()
      .then(
        () => undefined,
        (error) => log.error('task failed', { task: name, error }),
      )
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(run, interval);
  timer.unref();
  if (startsNow) run();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/**
 * For a task that is due once a day, and also when the clock was set: what it decided before, or made, was by a wrong
 * one. Called more often, it does nothing in between. A failed run counts.
 */
export function onceADay(clock: Clock, task: () => Promise<unknown>): () => Promise<void> {
  let last: { readonly at: Millis; readonly offset: Millis } | null = null;
  return async () => {
    const at = clock.monotonic();
    // A change of the wall clock relative to the monotonic one is a jump.
    const offset = clock.now() - at;
    if (last !== null && at - last.at < DAY && Math.abs(offset - last.offset) < HOUR) return;
    last = { at, offset };
    await task();
  };
}
