// Traces and metrics of one thread, on their way to the collector. Imported only if the configuration names one: this
// file and its imports load the OpenTelemetry packages.

import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { TelemetryConfig } from '../config/config.ts';
import type { MetricFamily, MetricSample } from '../model/metrics.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import { oneRun } from '../platform/in-rounds.ts';
import type { Random } from '../platform/random.ts';
import { type CollectorAccess, collectorAt } from './collector.ts';
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

export type OpenTelemetry = ReturnType<typeof openTelemetry>;

const longestStop: Millis = 2000;

/** @param config its `callersPerSecond` is the share of this thread */
export function openTelemetry(needs: TelemetryNeeds, config: TelemetryConfig, access: CollectorAccess) {
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

  // One at a time, however slow the collector is.
  const send = oneRun(async () => {
    if (metrics === null || interval === 0) return;
    try {
      const data = metricData(await metrics.read(), { resource, since: metrics.since, now: clock.now() });
      await collector.post('metrics', ProtobufMetricsSerializer.serializeRequest(data) ?? new Uint8Array());
      deliveries.sent(0);
    } catch (error) {
      deliveries.failed(error, 0);
    }
  });

  return {
    tracing: spans.tracing,
    /** Sends metrics from now on. */
    start() {
      if (metrics !== null && interval > 0) timer = setInterval(() => void send(), interval).unref();
    },
    /** Sends waiting spans and metrics, and gives up after two seconds. */
    async stop(): Promise<void> {
      clearInterval(timer);
      const giveUp = setTimeout(() => collector.close(), longestStop);
      await Promise.allSettled([spans.stop(), send()]);
      clearTimeout(giveUp);
      collector.close();
    },
  };
}

// Converts the Prometheus metrics to OTLP: the same names, the same labels, the same numbers.

/** @param since when counting began */
function metricData(
  families: readonly MetricFamily[],
  of: { readonly resource: Resource; readonly since: Millis; readonly now: Millis },
): ResourceMetrics {
  const span = { startTime: hrTime(of.since), endTime: hrTime(of.now) };
  const metrics = families.map((family) => dataOf(family, span));
  return { resource: of.resource, scopeMetrics: [{ scope: { name: 'overlay-auth' }, metrics }] };
}

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function dataOf({ name, help, type, samples }: MetricFamily, span: Span): MetricData {
  const unit = name.includes('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '';
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogramsOf(name, samples).map((point) => ({ ...point, ...span })),
    };
  const dataPoints = samples.map(({ labels, value }) => ({ attributes: labels, value, ...span }));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** In Prometheus, each bucket includes the counts of the smaller ones. */
function histogramsOf(name: string, samples: readonly MetricSample[]) {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.entries()].map(([labels, ofSeries]) => {
    const buckets = ofSeries.filter((sample) => sample.name === `${name}_bucket`);
    const numberOf = (suffix: string) => ofSeries.find((one) => one.name === `${name}_${suffix}`)?.value ?? 0;
    return {
      attributes: JSON.parse(labels) as Attributes,
      value: {
        buckets: {
          boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
          counts: buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0)),
        },
        sum: numberOf('sum'),
        count: numberOf('count'),
      },
    };
  });
}

function hrTime(millis: Millis): HrTime {
  const seconds = Math.trunc(millis / 1000);
  return [seconds, Math.round((millis - seconds * 1000) * 1e6)];
}
