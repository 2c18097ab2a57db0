// Converts the Prometheus metrics to OTLP: the same names, the same labels, the same numbers.

import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily, MetricSample } from '../model/metrics.ts';
import type { Millis } from '../platform/clock.ts';

/** @param since when counting began */
export function metricData(
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
  if (type === 'histogram') {
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogramsOf(name, samples).map((point) => ({ ...point, ...span })),
    };
  }
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
