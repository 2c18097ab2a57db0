// `/metrics` in the text format of Prometheus. Other code counts, in plain numbers; they are read when somebody asks.
// Labels come from closed lists: no identity, no user name, nothing that a client sent.

import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type AnswerSeries,
  type AttemptLabels,
  type AuditLabels,
  answerBuckets,
  type Counted,
} from '../../explain/counts.ts';
import type { DeliveryKind } from '../../model/delivery.ts';
import type { DeliveryCounts, MetricSample, PoolUse } from '../../model/metrics.ts';
import type { Millis, Seconds } from '../../platform/clock.ts';
import type { HashPoolDepth } from '../../platform/secrets/hash-pool.ts';
import { contentAnswer, type Route, route } from '../request/route.ts';

/**
 * Where the numbers come from. Everything is asked for at each scrape, and must be available once `gather` has
 * resolved.
 */
export interface MetricSources {
  /** Collects the counts of other threads. */
  readonly gather?: () => Promise<void>;
  readonly threads: { readonly answering: number; readonly replaced: number };
  readonly version: string;
  /** When the process started, in seconds since the epoch. */
  readonly startedAt: Seconds;
  /** Of all threads together. */
  readonly counts: () => MetricCounts;
  readonly hashPool: { depth(): HashPoolDepth };
  readonly endedSessions: { readonly size: number };
  readonly decisionRecords: { queue(): { readonly waiting: number; readonly dropped: number } };
  readonly clockWatch: { readonly ahead: Millis };
  readonly lastReload: { readonly isRefused: boolean };
  /** The soonest end of the certificates of each use. */
  readonly certificateEnds: () => readonly CertificateEnd[];
  /** The checks of readiness, as `gather` has found them. */
  readonly checks: () => readonly { readonly id: string; readonly healthy: boolean }[];
  readonly deliveries: DeliveryMetrics;
  /** Revocation lists of third-party authorities that are outdated or have never been had. */
  readonly staleLists: () => number;
  /** Absent where the system does not say. */
  readonly openFiles: () => { readonly open: number; readonly most: number } | null;
}

export interface CertificateEnd {
  readonly use: 'server' | 'authority' | 'client-signing';
  readonly notAfter: Millis;
}

type ByKind = readonly { readonly kind: DeliveryKind; readonly count: number }[];

/** What is delivered to others, of all nodes; failures of this one. */
export interface DeliveryMetrics {
  waiting(): ByKind;
  /** In seconds. */
  oldest(): ByKind;
  /** Subscribers whose last attempt failed and for whom something waits. */
  failing(): ByKind;
  failures(): ByKind;
}

/** What each thread counts. */
export interface MetricCounts {
  readonly auditEvents: readonly Counted<AuditLabels>[];
  readonly loginAttempts: readonly Counted<AttemptLabels>[];
  readonly answers: readonly AnswerSeries[];
  /** How late timers ran: 99th percentile of the last one to two minutes. */
  readonly eventLoopDelay: Millis;
  /** Whether memory may be older than the store. */
  readonly isBehind: boolean;
  /** Empty on SQLite. Of all threads together: one for each purpose. */
  readonly pools: readonly PoolUse[];
  readonly telemetry: DeliveryCounts;
}

const textFormat = 'text/plain';

/** The metrics as text. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Reads the metrics of these sources.
 * @returns `families`: the same numbers, for exporting them
 */
export function metricsReader(sources: MetricSources) {
  let registry: Promise<Registry> | undefined;
  async function fresh(): Promise<Registry> {
    await sources.gather?.();
    // Loaded when somebody asks: a start must not wait for it if nobody does.
    registry ??= newRegistry(sources);
    return registry;
  }
  return {
    async text() {
      const loaded = await fresh();
      return { contentType: loaded.contentType, text: await loaded.metrics() };
    },
    async families() {
      const families = await (await fresh()).getMetricsAsJSON();
      return families.map(({ name, help, type, values }) => ({
        name,
        help,
        type: String(type),
        samples: values.map((sample) => ({
          name: 'metricName' in sample ? String(sample.metricName) : name,
          labels: sample.labels as MetricSample['labels'],
          value: sample.value,
        })),
      }));
    },
  };
}

/** `GET /metrics`, for anybody who reaches a listener that binds it. */
export function metricsRoutes(read: () => Promise<MetricsText>): readonly Route[] {
  return [
    route({
      methods: ['GET', 'HEAD'],
      path: '/metrics',
      api: 'metrics',
      guard: 'anonymous',
      load: 'counted',
      errors: 'edge',
      summary: 'Read the metrics in the text format of Prometheus',
      answers: { 200: contentAnswer(textFormat, 'The metrics') },
      produces: [textFormat],
      async handler() {
        const { contentType, text } = await read();
        return {
          status: 200,
          headers: { 'content-type': contentType, 'cache-control': 'no-store' },
          body: text,
        };
      },
    }),
  ];
}

type Samples = readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

async function newRegistry(sources: MetricSources): Promise<Registry> {
  const prometheus = await import('prom-client');
  const registry = new prometheus.Registry();
  const registers = [registry];

  function define(
    Metric: typeof Counter | typeof Gauge,
    [name, help, labelNames = []]: MetricHead,
    read: () => Samples,
  ): void {
    const refill = (metric: Counter | Gauge) => {
      metric.reset();
      for (const { labels, value } of read()) metric.inc(labels, value);
    };
    new Metric({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        refill(this);
      },
    });
  }
  const counter = (name: string, help: string, read: () => number) =>
    define(prometheus.Counter, [name, help], () => [{ labels: {}, value: read() }]);
  const gauge = (name: string, help: string, read: () => number) =>
    define(prometheus.Gauge, [name, help], () => [{ labels: {}, value: read() }]);

  const many: DefinesMany = {
    counters: (of, read) => define(prometheus.Counter, of, read),
    gauges: (of, read) => define(prometheus.Gauge, of, read),
  };
  defineLabelled(many, sources);
  definePools(many, sources);

  // The library's own histogram can only be filled one observation at a time. The registry needs no more than this.
  const durations = {
    name: answerDuration,
    help: 'From the header of a request to its answer, by API and status class; _count is the number of requests.',
    type: 'histogram',
    values: () => sources.counts().answers.flatMap(histogramSamples),
    get: async () => ({ ...durations, values: durations.values() }),
  };
  registry.registerMetric(durations as unknown as Histogram);

  defineOwn({ counter, gauge }, sources);
  gauge('process_start_time_seconds', 'When the process started, since the epoch.', () => sources.startedAt);
  counter('process_cpu_seconds_total', 'Processor time of all threads, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge('process_resident_memory_bytes', 'Memory that the process occupies.', () =>
    process.memoryUsage.rss(),
  );
  return registry;
}

type MetricHead = readonly [name: string, help: string, labelNames?: readonly string[]];

/** Defines a metric with a sample for each set of labels, or with none. */
type DefineMany = (head: MetricHead, read: () => Samples) => void;

interface DefinesMany {
  readonly counters: DefineMany;
  readonly gauges: DefineMany;
}

function defineLabelled({ counters, gauges }: DefinesMany, sources: MetricSources): void {
  const { version } = sources;
  gauges(
    [
      'overlay_auth_build_info',
      'Version of this service and of its runtime; always 1.',
      ['version', 'node_version'],
    ],
    () => [{ labels: { version, node_version: process.version }, value: 1 }],
  );
  counters(['overlay_auth_audit_events_total', 'Events of the audit trail.', ['event', 'method']], () =>
    samplesOf(sources.counts().auditEvents),
  );
  counters(
    [
      'overlay_auth_login_attempts_total',
      'Steps of logins that were decided, with the reason of a refusal.',
      ['step', 'mechanism', 'outcome', 'reason'],
    ],
    () => samplesOf(sources.counts().loginAttempts),
  );

  gauges(
    [
      'overlay_auth_certificate_end_timestamp_seconds',
      'When the first certificate of a use ends: what listeners present, trusted authorities, what signs clients.',
      ['use'],
    ],
    () => sources.certificateEnds().map(({ use, notAfter }) => ({ labels: { use }, value: notAfter / 1000 })),
  );
  gauges(['overlay_auth_health_check', '1 while a check of readiness passes, otherwise 0.', ['check']], () =>
    sources.checks().map(({ id, healthy }) => ({ labels: { check: id }, value: healthy ? 1 : 0 })),
  );
  const filesOf = (which: 'open' | 'most') => (): Samples => {
    const found = sources.openFiles();
    return found === null ? [] : [{ labels: {}, value: found[which] }];
  };
  gauges(['process_open_fds', 'Files and connections that are open.'], filesOf('open'));
  gauges(['process_max_fds', 'How many may be open.'], filesOf('most'));
  const { deliveries } = sources;
  const byKind = (read: () => ByKind) => (): Samples =>
    read().map(({ kind, count }) => ({ labels: { kind }, value: count }));
  gauges(
    ['overlay_auth_deliveries_waiting', 'What is still to be delivered, by all nodes.', ['kind']],
    byKind(deliveries.waiting),
  );
  gauges(
    [
      'overlay_auth_deliveries_oldest_seconds',
      'How long the oldest of what is still to be delivered has waited.',
      ['kind'],
    ],
    byKind(deliveries.oldest),
  );
  gauges(
    [
      'overlay_auth_delivery_subscribers_failing',
      'Subscribers that did not take the last attempt, and for whom something waits.',
      ['kind'],
    ],
    byKind(deliveries.failing),
  );
  counters(
    ['overlay_auth_delivery_failures_total', 'Attempts of this node to deliver that failed.', ['kind']],
    byKind(deliveries.failures),
  );
}

/** The pools of connections to PostgreSQL. */
function definePools({ counters, gauges }: DefinesMany, sources: MetricSources): void {
  const ofPools = (count: 'inUse' | 'limit' | 'waiting' | 'uses' | 'seconds') => (): Samples =>
    sources.counts().pools.map((one) => ({ labels: { pool: one.pool }, value: one[count] }));
  const postgres = 'overlay_auth_postgres';
  gauges(
    [`${postgres}_connections_in_use`, 'Connections to PostgreSQL that are used, by purpose.', ['pool']],
    ofPools('inUse'),
  );
  gauges([`${postgres}_connections_limit`, 'How many of them there can be.', ['pool']], ofPools('limit'));
  gauges(
    [`${postgres}_callers_waiting`, 'Callers that wait for a connection.', ['pool']],
    ofPools('waiting'),
  );
  counters(
    [`${postgres}_transactions_total`, 'Transactions and reads, each on one connection.', ['pool']],
    ofPools('uses'),
  );
  counters(
    [
      `${postgres}_transaction_seconds_total`,
      'How long these took together, without the wait for a connection.',
      ['pool'],
    ],
    ofPools('seconds'),
  );
}

/** Defines a metric with a single number, read when somebody asks. */
type DefineOne = (name: string, help: string, read: () => number) => void;

/** What this service counts and measures. */
function defineOwn(
  { counter, gauge }: { readonly counter: DefineOne; readonly gauge: DefineOne },
  sources: MetricSources,
): void {
  const pool = () => sources.hashPool.depth();
  gauge('overlay_auth_request_threads', 'Threads that answer requests.', () => sources.threads.answering);
  counter(
    'overlay_auth_request_threads_replaced_total',
    'Threads that answered requests and have died; a new thread took the place of each.',
    () => sources.threads.replaced,
  );
  gauge(
    'overlay_auth_revocation_lists_stale',
    'Revocation lists of third-party authorities that are outdated or have never been had.',
    sources.staleLists,
  );
  gauge('overlay_auth_password_hash_threads', 'Threads for password hashes.', () => pool().threads);
  gauge('overlay_auth_password_hash_running', 'Password hashes being computed.', () => pool().running);
  gauge('overlay_auth_password_hash_waiting', 'Password hashes in the queue.', () => pool().waiting);
  gauge('overlay_auth_password_hash_queue_limit', 'Length of that queue.', () => pool().longestQueue);
  counter(
    'overlay_auth_password_hash_refused_total',
    'Password hashes refused because the queue was full.',
    () => pool().refused,
  );
  gauge(
    'overlay_auth_ended_sessions',
    'Ended sessions that may still have unexpired tokens; each is refused.',
    () => sources.endedSessions.size,
  );
  gauge(
    'overlay_auth_decision_records_waiting',
    'Decision records that are still to be written.',
    () => sources.decisionRecords.queue().waiting,
  );
  counter(
    'overlay_auth_decision_records_dropped_total',
    'Decision records that were not kept because too many came at once.',
    () => sources.decisionRecords.queue().dropped,
  );
  gauge(
    'overlay_auth_change_feed_behind',
    '1 while changes in the database cannot be read, so that memory may be older than the database.',
    () => (sources.counts().isBehind ? 1 : 0),
  );
  gauge(
    'overlay_auth_clock_ahead_seconds',
    'How far the clock of this node is ahead of that of the database; negative when behind.',
    () => sources.clockWatch.ahead / 1000,
  );
  gauge(
    'overlay_auth_config_reload_refused',
    '1 while the configuration that the last reload has read is not in use, because it was refused.',
    () => (sources.lastReload.isRefused ? 1 : 0),
  );
  const deliveries = () => sources.counts().telemetry;
  counter(
    'overlay_auth_telemetry_spans_sent_total',
    'Spans that the OpenTelemetry collector has taken.',
    () => deliveries().spansSent,
  );
  counter(
    'overlay_auth_telemetry_spans_lost_total',
    'Spans that were not sent because the collector did not take them or was too slow.',
    () => deliveries().spansLost,
  );
  counter(
    'overlay_auth_telemetry_failures_total',
    'Times that the OpenTelemetry collector did not take traces or metrics.',
    () => deliveries().failures,
  );
  gauge(
    'overlay_auth_event_loop_delay_p99_seconds',
    'How late timers ran: 99th percentile of the last one to two minutes.',
    () => sources.counts().eventLoopDelay / 1000,
  );
}

function samplesOf(counts: readonly Counted<Readonly<Record<string, string>>>[]): Samples {
  return counts.map(({ labels, count }) => ({ labels, value: count }));
}

const answerDuration = 'overlay_auth_http_request_duration_seconds';

function histogramSamples({ api, statusClass, cumulative, sumSeconds }: AnswerSeries) {
  const labels = { api, status_class: statusClass };
  const sample = (suffix: string, value: number, more: Readonly<Record<string, string | number>> = {}) => ({
    metricName: `${answerDuration}_${suffix}`,
    labels: { ...more, ...labels },
    value,
  });
  return [
    ...cumulative.map((count, at) => sample('bucket', count, { le: answerBuckets[at] ?? '+Inf' })),
    sample('sum', sumSeconds),
    sample('count', cumulative.at(-1) ?? 0),
  ];
}
