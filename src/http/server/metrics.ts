// `/metrics` in the text format of Prometheus. Other code counts, in plain numbers; they are read at each scrape.
// Labels come from closed lists: no identity, no user name, nothing that a client sent.

import type { Gauge, Registry } from 'prom-client';
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
import { anonymous, contentAnswer, type Route, route } from '../request/route.ts';

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
  readonly isLogWritten: () => boolean;
  /** The soonest end of the certificates of each use. */
  readonly certificateEnds: () => readonly CertificateEnd[];
  /** The checks of readiness, as `gather` has found them. */
  readonly checks: () => readonly { readonly id: string; readonly healthy: boolean }[];
  readonly deliveries: DeliveryMetrics;
  /** Revocation lists of third-party authorities that are outdated or have never been had. */
  readonly staleLists: () => number;
  /** When the last backup was begun that is known to be good; 0: none. */
  readonly lastBackup: () => Millis;
  /** Absent where the system does not say. */
  readonly openFiles: () => { readonly open: number; readonly most: number } | null;
}

export interface CertificateEnd {
  readonly use: 'server' | 'authority' | 'client-signing';
  readonly notAfter: Millis;
}

type ByKind = readonly { readonly kind: DeliveryKind; readonly count: number }[];

/** Deliveries to other services, of all nodes; failures of this one. */
export interface DeliveryMetrics {
  waiting(): ByKind;
  /** Those of the subscriber with most. */
  longest(): ByKind;
  /** In seconds. */
  oldest(): ByKind;
  /** Subscribers whose last attempt failed and for whom something waits. */
  failing(): ByKind;
  failures(): ByKind;
  givenUp(): ByKind;
}

/** The counters of each thread. */
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
  return {
    async text() {
      await sources.gather?.();
      // Loaded at the first scrape, so that it does not delay the start.
      registry ??= newRegistry(sources);
      const loaded = await registry;
      return { contentType: loaded.contentType, text: await loaded.metrics() };
    },
    async families() {
      await sources.gather?.();
      return metrics.map((metric) => ({
        name: metric.name,
        help: metric.help,
        type: metric.type,
        samples: samplesOf(metric, sources).map(({ metricName, ...sample }) => ({
          name: metricName ?? metric.name,
          ...sample,
        })),
      }));
    },
  };
}

/** `GET /metrics`, for anybody who reaches a listener that binds it. */
export function metricsRoutes(read: () => Promise<MetricsText>): readonly Route[] {
  return [
    route(['GET', 'HEAD'], '/metrics', {
      ...anonymous('metrics', 'counted', 'edge'),
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

interface Sample {
  readonly labels: MetricSample['labels'];
  readonly value: number;
  /** Of a histogram, whose samples have names of their own. */
  readonly metricName?: string;
}

/** A metric: a single number, or a sample for each set of labels. Read at each scrape. */
interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly read: (sources: MetricSources) => number | readonly Sample[];
}

function samplesOf({ read }: Metric, sources: MetricSources): readonly Sample[] {
  const found = read(sources);
  return typeof found === 'number' ? [{ labels: {}, value: found }] : found;
}

async function newRegistry(sources: MetricSources): Promise<Registry> {
  const prometheus = await import('prom-client');
  const registry = new prometheus.Registry();
  for (const metric of metrics) {
    // The library's own metrics are filled one observation at a time. The registry needs no more than this.
    const { name, help, type } = metric;
    const get = async () => ({ name, help, type, values: samplesOf(metric, sources) });
    registry.registerMetric({ name, help, type, get } as unknown as Gauge);
  }
  return registry;
}

const metric =
  (type: Metric['type']) =>
  (name: string, help: string, read: Metric['read']): Metric => ({ type, name, help, read });
const counter = metric('counter');
const gauge = metric('gauge');

const counted = (counts: readonly Counted<Readonly<Record<string, string>>>[]): readonly Sample[] =>
  counts.map(({ labels, count }) => ({ labels, value: count }));

const byKind =
  (which: keyof DeliveryMetrics): Metric['read'] =>
  ({ deliveries }) =>
    deliveries[which]().map(({ kind, count }) => ({ labels: { kind }, value: count }));

const openFiles =
  (which: 'open' | 'most'): Metric['read'] =>
  (sources) =>
    sources.openFiles()?.[which] ?? [];

const ofPools =
  (count: 'inUse' | 'limit' | 'waiting' | 'uses' | 'seconds'): Metric['read'] =>
  ({ counts }) =>
    counts().pools.map((one) => ({ labels: { pool: one.pool }, value: one[count] }));

const hashes =
  (which: keyof HashPoolDepth): Metric['read'] =>
  ({ hashPool }) =>
    hashPool.depth()[which];

const telemetry =
  (which: keyof DeliveryCounts): Metric['read'] =>
  ({ counts }) =>
    counts().telemetry[which];

const answerDuration = 'overlay_auth_http_request_duration_seconds';

const metrics: readonly Metric[] = [
  gauge('overlay_auth_build_info', 'Version of this service and of its runtime; always 1.', ({ version }) => [
    { labels: { version, node_version: process.version }, value: 1 },
  ]),
  counter('overlay_auth_audit_events_total', 'Events of the audit trail.', ({ counts }) =>
    counted(counts().auditEvents),
  ),
  counter(
    'overlay_auth_login_attempts_total',
    'Steps of logins that were decided, with the reason of a refusal.',
    ({ counts }) => counted(counts().loginAttempts),
  ),
  gauge(
    'overlay_auth_certificate_end_timestamp_seconds',
    'When the first certificate of a use ends: those of listeners, trusted authorities, those that sign clients.',
    ({ certificateEnds }) =>
      certificateEnds().map(({ use, notAfter }) => ({ labels: { use }, value: notAfter / 1000 })),
  ),
  gauge('overlay_auth_health_check', '1 while a check of readiness passes, otherwise 0.', ({ checks }) =>
    checks().map(({ id, healthy }) => ({ labels: { check: id }, value: healthy ? 1 : 0 })),
  ),
  gauge('process_open_fds', 'Files and connections that are open.', openFiles('open')),
  gauge('process_max_fds', 'How many may be open.', openFiles('most')),
  gauge('overlay_auth_deliveries_waiting', 'Waiting deliveries, of all nodes.', byKind('waiting')),
  gauge(
    'overlay_auth_deliveries_longest_queue',
    'Waiting deliveries to the subscriber with most of them.',
    byKind('longest'),
  ),
  gauge(
    'overlay_auth_deliveries_oldest_seconds',
    'How long the oldest waiting delivery has waited.',
    byKind('oldest'),
  ),
  gauge(
    'overlay_auth_delivery_subscribers_failing',
    'Subscribers that did not take the last attempt, and for whom something waits.',
    byKind('failing'),
  ),
  counter(
    'overlay_auth_delivery_failures_total',
    'Attempts of this node to deliver that failed.',
    byKind('failures'),
  ),
  counter(
    'overlay_auth_deliveries_given_up_total',
    'Deliveries that this node gave up: refused for good, or too old.',
    byKind('givenUp'),
  ),
  gauge(
    'overlay_auth_postgres_connections_in_use',
    'Connections to PostgreSQL that are used, by purpose.',
    ofPools('inUse'),
  ),
  gauge('overlay_auth_postgres_connections_limit', 'How many of them there can be.', ofPools('limit')),
  gauge('overlay_auth_postgres_callers_waiting', 'Callers that wait for a connection.', ofPools('waiting')),
  counter(
    'overlay_auth_postgres_transactions_total',
    'Transactions and reads, each on one connection.',
    ofPools('uses'),
  ),
  counter(
    'overlay_auth_postgres_transaction_seconds_total',
    'How long these took together, without the wait for a connection.',
    ofPools('seconds'),
  ),
  metric('histogram')(
    answerDuration,
    'From the header of a request to its answer, by API and status class; _count is the number of requests.',
    ({ counts }) => counts().answers.flatMap(histogramSamples),
  ),
  gauge('overlay_auth_request_threads', 'Threads that answer requests.', ({ threads }) => threads.answering),
  counter(
    'overlay_auth_request_threads_replaced_total',
    'Threads that answered requests and have died; a new thread took the place of each.',
    ({ threads }) => threads.replaced,
  ),
  gauge(
    'overlay_auth_revocation_lists_stale',
    'Revocation lists of third-party authorities that are outdated or have never been had.',
    ({ staleLists }) => staleLists(),
  ),
  gauge(
    'overlay_auth_last_backup_timestamp_seconds',
    'When the last backup was begun that ended well, since the epoch; 0: none is known.',
    ({ lastBackup }) => lastBackup() / 1000,
  ),
  gauge('overlay_auth_password_hash_threads', 'Threads for password hashes.', hashes('threads')),
  gauge('overlay_auth_password_hash_running', 'Password hashes being computed.', hashes('running')),
  gauge('overlay_auth_password_hash_waiting', 'Password hashes in the queue.', hashes('waiting')),
  gauge('overlay_auth_password_hash_queue_limit', 'Length of that queue.', hashes('longestQueue')),
  counter(
    'overlay_auth_password_hash_refused_total',
    'Password hashes refused because the queue was full.',
    hashes('refused'),
  ),
  gauge(
    'overlay_auth_ended_sessions',
    'Ended sessions that may still have unexpired tokens; each is refused.',
    ({ endedSessions }) => endedSessions.size,
  ),
  gauge(
    'overlay_auth_decision_records_waiting',
    'Decision records that are still to be written.',
    ({ decisionRecords }) => decisionRecords.queue().waiting,
  ),
  counter(
    'overlay_auth_decision_records_dropped_total',
    'Decision records that were not kept because too many came at once.',
    ({ decisionRecords }) => decisionRecords.queue().dropped,
  ),
  gauge(
    'overlay_auth_change_feed_behind',
    '1 while changes in the database cannot be read, so that memory may be older than the database.',
    ({ counts }) => (counts().isBehind ? 1 : 0),
  ),
  gauge(
    'overlay_auth_clock_ahead_seconds',
    'How far the clock of this node is ahead of that of the database; negative when behind.',
    ({ clockWatch }) => clockWatch.ahead / 1000,
  ),
  gauge(
    'overlay_auth_config_reload_refused',
    '1 while the configuration that the last reload has read is not in use, because it was refused.',
    ({ lastReload }) => (lastReload.isRefused ? 1 : 0),
  ),
  gauge(
    'overlay_auth_log_written',
    '1 while the log can be written; otherwise administrators cannot change anything.',
    ({ isLogWritten }) => (isLogWritten() ? 1 : 0),
  ),
  counter(
    'overlay_auth_telemetry_spans_sent_total',
    'Spans that the OpenTelemetry collector has taken.',
    telemetry('spansSent'),
  ),
  counter(
    'overlay_auth_telemetry_spans_lost_total',
    'Spans that were not sent because the collector did not take them or was too slow.',
    telemetry('spansLost'),
  ),
  counter(
    'overlay_auth_telemetry_failures_total',
    'Times that the OpenTelemetry collector did not take traces or metrics.',
    telemetry('failures'),
  ),
  gauge(
    'overlay_auth_event_loop_delay_p99_seconds',
    'How late timers ran: 99th percentile of the last one to two minutes.',
    ({ counts }) => counts().eventLoopDelay / 1000,
  ),
  gauge(
    'process_start_time_seconds',
    'When the process started, since the epoch.',
    ({ startedAt }) => startedAt,
  ),
  counter('process_cpu_seconds_total', 'Processor time of all threads, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  gauge('process_resident_memory_bytes', 'Memory that the process occupies.', () =>
    process.memoryUsage.rss(),
  ),
];

function histogramSamples({ api, statusClass, cumulative, sumSeconds }: AnswerSeries) {
  const labels = { api, status_class: statusClass };
  const sample = (suffix: string, value: number, more: MetricSample['labels'] = {}) => ({
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
