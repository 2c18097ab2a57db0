// Traces and metrics of one thread, on their way to the collector. Imported only if the configuration names one: this
// file and its imports load the OpenTelemetry packages.

import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { TelemetryConfig } from '../config/config.ts';
import type { MetricFamily } from '../model/metrics.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { Tracing } from '../platform/tracing.ts';
import { type CollectorAccess, collectorAt } from './collector.ts';
import { metricData } from './metric-data.ts';
import { type Deliveries, openSpans } from './spans.ts';

export interface TelemetryNeeds {
  readonly clock: Clock;
  readonly random: Random;
  readonly deliveries: Deliveries;
  /** The release, and the name of this node among several. */
  readonly service: { readonly version: string; readonly instance: string };
  /** Where the metrics of the whole controller are known. */
  readonly metrics: { readonly since: Millis; read(): Promise<readonly MetricFamily[]> } | null;
}

export interface OpenTelemetry {
  readonly tracing: Tracing;
  /** Sends metrics from now on. */
  start(): void;
  /** Sends what is waiting, and gives up after two seconds. */
  stop(): Promise<void>;
}

const longestStop: Millis = 2000;

/** @param config its `callersPerSecond` is the share of this thread */
export function openTelemetry(
  needs: TelemetryNeeds,
  config: TelemetryConfig,
  access: CollectorAccess,
): OpenTelemetry {
  const { clock, deliveries, service, metrics } = needs;
  const collector = collectorAt(config.endpoint, access);
  const resource = resourceFromAttributes({
    'service.name': config.serviceName,
    'service.version': service.version,
    'service.instance.id': service.instance,
  });
  const spans = openSpans({ ...needs, settings: config.traces, resource, collector });
  const { interval } = config.metrics;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | null = null;

  async function sendMetrics(): Promise<void> {
    if (metrics === null || interval === 0) return;
    try {
      const data = metricData(await metrics.read(), { resource, since: metrics.since, now: clock.now() });
      await collector.post('metrics', ProtobufMetricsSerializer.serializeRequest(data) ?? new Uint8Array());
      deliveries.sent(0);
    } catch (error) {
      deliveries.failed(error, 0);
    }
  }

  function send(): Promise<void> {
    // One at a time, however slow the collector is.
    sending ??= sendMetrics().finally(() => {
      sending = null;
    });
    return sending;
  }

  return {
    tracing: spans.tracing,
    start() {
      if (metrics !== null && interval > 0) timer = setInterval(() => void send(), interval).unref();
    },
    async stop() {
      clearInterval(timer);
      const giveUp = setTimeout(() => collector.close(), longestStop);
      await Promise.allSettled([spans.stop(), send()]);
      clearTimeout(giveUp);
      collector.close();
    },
  };
}
