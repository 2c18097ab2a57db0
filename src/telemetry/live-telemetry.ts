// Traces and metrics, by the configuration in use: no code for them is loaded until one names a collector. The state
// that outlives a reload is here: the counts, and whether a failing collector has been reported.

import type { TelemetryConfig } from '../config/config.ts';
import { MINUTE, type Millis } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Tracing } from '../platform/tracing.ts';
import type { CollectorAccess } from './collector.ts';
import type { OpenTelemetry, TelemetryNeeds } from './open-telemetry.ts';
import type { Deliveries } from './spans.ts';

export type LiveTelemetry = ReturnType<typeof liveTelemetry>;

export interface LiveTelemetryNeeds extends Omit<TelemetryNeeds, 'deliveries' | 'metrics'> {
  /** For the thread that reports for all; null: another one does. */
  readonly log: Logger | null;
  /** Number of request threads, which share `callersPerSecond`. */
  readonly threads: number;
}

interface InUse {
  readonly config: TelemetryConfig;
  readonly access: CollectorAccess;
  readonly telemetry: OpenTelemetry;
}

export function liveTelemetry(needs: LiveTelemetryNeeds) {
  const counts = { spansSent: 0, spansLost: 0, failures: 0 };
  const deliveries = countedDeliveries(needs, counts);
  let inUse: InUse | null = null;
  let stopping: Promise<unknown> = Promise.resolve();
  const tracing = changingTracing();

  async function open(config: TelemetryConfig, metrics: TelemetryNeeds['metrics']): Promise<InUse> {
    // It loads a client for plain HTTP, as the OpenTelemetry packages do.
    const { readCollectorAccess } = await import('./collector.ts');
    const access = readCollectorAccess(config);
    const isSame = JSON.stringify([inUse?.config, inUse?.access]) === JSON.stringify([config, access]);
    if (inUse !== null && isSame) return inUse;
    const { openTelemetry } = await import('./open-telemetry.ts');
    const callersPerSecond = config.traces.callersPerSecond / needs.threads;
    const ofThread = { ...config, traces: { ...config.traces, callersPerSecond } };
    return { config, access, telemetry: openTelemetry({ ...needs, metrics, deliveries }, ofThread, access) };
  }

  return {
    tracing,
    counts: () => ({ ...counts }),
    /**
     * Prepares what another configuration wants.
     * @param metrics of all threads, if this thread reports them
     * @returns puts it in use; it cannot fail
     * @throws ConfigError a file that it names cannot be used
     */
    async prepare(config: TelemetryConfig | null, metrics: TelemetryNeeds['metrics']) {
      const next = config === null ? null : await open(config, metrics);
      return () => {
        if (next === inUse) return;
        const former = inUse;
        inUse = next;
        tracing.change(next?.telemetry.tracing ?? null);
        next?.telemetry.start();
        stopping = Promise.all([stopping, former?.telemetry.stop()]);
      };
    },
    /** Sends waiting spans and metrics, for two seconds at most. */
    async stop() {
      await Promise.all([stopping, inUse?.telemetry.stop()]);
    },
  };
}

function changingTracing() {
  const listeners: ((current: Tracing | null) => void)[] = [];
  const tracing = {
    current: null as Tracing | null,
    onChange: (listener: (typeof listeners)[number]) => void listeners.push(listener),
    change(next: Tracing | null) {
      tracing.current = next;
      for (const listener of listeners) listener(next);
    },
  };
  return tracing;
}

/** A collector that keeps failing and recovering must not fill the log. */
const quietFor: Millis = 10 * MINUTE;

function countedDeliveries(
  { clock, log }: LiveTelemetryNeeds,
  counts: { spansSent: number; spansLost: number; failures: number },
): Deliveries {
  let saidAt = Number.NEGATIVE_INFINITY;
  let isSaid = false;
  return {
    sent(spans) {
      counts.spansSent += spans;
      if (!isSaid) return;
      isSaid = false;
      log?.info('the collector takes traces and metrics again', { event: 'telemetry.delivered' });
    },
    failed(error, lost) {
      counts.failures += 1;
      counts.spansLost += lost;
      const now = clock.monotonic();
      if (isSaid || now - saidAt < quietFor) return;
      isSaid = true;
      saidAt = now;
      const why = error instanceof Error ? error.message : String(error);
      log?.warn('the collector does not take traces or metrics; those that cannot be sent are lost', {
        event: 'telemetry.failed',
        why,
      });
    },
    dropped(spans) {
      counts.spansLost += spans;
    },
  };
}
