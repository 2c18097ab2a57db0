import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MINUTE, type Millis } from './clock.ts';

/** How often the delay is sampled. Node counts the interval into every sample. */
const resolution: Millis = 20;

/**
 * Watches whether something keeps the event loop busy. Does not keep the process alive.
 * @returns `p99`: how late timers ran: the 99th percentile of the last one to two minutes
 */
export function watchEventLoopDelay() {
  const samples = monitorEventLoopDelay({ resolution: resolution });
  samples.enable();
  const current = () => (samples.count === 0 ? 0 : Math.max(0, samples.percentile(99) / 1e6 - resolution));
  let lastMinute: Millis = 0;
  // Readers do not restart the window: several may read, and none may hide a delay from another.
  const turn = setInterval(() => {
    lastMinute = current();
    samples.reset();
  }, MINUTE);
  turn.unref();
  return {
    p99: () => Math.max(lastMinute, current()),
    stop() {
      clearInterval(turn);
      samples.disable();
    },
  };
}
