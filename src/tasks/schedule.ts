import type { Millis } from '../platform/clock.ts';
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
