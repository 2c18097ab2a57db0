// The operators' view of a controller: the other nodes, health, metrics.

import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { BindPoint, Config } from '../config/config.ts';
import { answerTimes } from '../explain/counts.ts';
import type { OwnCertificate } from '../http/request/services.ts';
import { type Finding, type HealthCheck, runChecks } from '../http/server/health.ts';
import { type DeliveryMetrics, metricsReader } from '../http/server/metrics.ts';
import { type DeliveryKind, deliveryKinds, partsOfQueue } from '../model/delivery.ts';
import { type Clock, SECOND, type Seconds } from '../platform/clock.ts';
import { watchEventLoopDelay } from '../platform/event-loop-delay.ts';
import { openFiles } from '../platform/open-files.ts';
import type { DeliveryBacklog, DeliveryStore } from '../store/contracts/deliveries.ts';
import type { Store } from '../store/contracts/store.ts';
import type { Deliverer } from '../tasks/deliver.ts';
import { clockComparison, type NodeHeartbeat, nodeHeartbeat } from '../tasks/node-heartbeat.ts';
import type { LiveTelemetry } from '../telemetry/live-telemetry.ts';
import type { Callers } from './callers.ts';
import type { Base } from './in-use.ts';
import { certificateEnds, nodeAuthorities } from './overlay-pki.ts';
import type { Records } from './records.ts';
import { sumOfThreads, type ThreadCounts } from './thread-counts.ts';

/** Several nodes on one machine differ in the port. @param bindPoints as configured, or with the real ports */
export function nodeName(
  { node, listeners }: Pick<Config, 'node' | 'listeners'>,
  bindPoints: readonly BindPoint[] = listeners.flatMap((listener) => listener.bindPoints),
): string {
  return node.name ?? `${hostname()}:${bindPoints[0]?.interface.port ?? 0}`;
}

export type Observation = ReturnType<typeof openObservation>;

/** @param startedAt when the process started */
export function openObservation(
  base: Base,
  callers: Pick<Callers, 'view' | 'watch' | 'keeper'>,
  {
    records,
    telemetry,
    startedAt,
    deliverer,
  }: {
    records: Records;
    telemetry: Pick<LiveTelemetry, 'counts'>;
    startedAt: Seconds;
    deliverer: Deliverer | null;
  },
) {
  const { store, clock, vault, log, hashPool, first, others } = base;
  const { view, watch, keeper } = callers;
  let certificates: readonly OwnCertificate[] = [];
  const authorities = () => nodeAuthorities(certificates);
  const heartbeat = nodeHeartbeat({ store, clock, vault, authorities, clockWatch: watch, log });
  const node =
    first === undefined ? heartbeat : clockComparison({ clockWatch: watch, isCluster: first.isCluster, log });
  const checks = first?.checks ?? healthChecks(base, callers, heartbeat);
  const answers = answerTimes();
  const eventLoop = watchEventLoopDelay();
  const counts = (): ThreadCounts => ({
    ...records.counts(),
    answers: answers.list(),
    eventLoopDelay: eventLoop.p99(),
    isBehind: view.feed.isBehind,
    pools: store.poolUse(),
    telemetry: telemetry.counts(),
  });
  const lastReload = { isRefused: false };
  let findings: readonly Finding[] = [];
  let isLogWritten = true;
  const lastBackup = backupTime(store);
  const deliveries = deliveryCounts(store.deliveries, deliverer, clock);
  const metrics = metricsReader({
    version: packageJson.version,
    startedAt,
    threads: others.threads,
    async gather() {
      const checked = runChecks({ clock, log }, checks);
      const gathered = [others.gather(), deliveries.gather(), lastBackup.gather()];
      [findings, isLogWritten] = await Promise.all([checked, log.written?.() ?? true, ...gathered]);
    },
    deliveries,
    lastBackup: lastBackup.at,
    staleLists: () => keeper?.stale() ?? 0,
    counts: () => sumOfThreads([counts(), ...others.counts()]),
    hashPool,
    endedSessions: view.ended,
    decisionRecords: records,
    clockWatch: watch,
    lastReload,
    isLogWritten: () => isLogWritten,
    certificateEnds: () => certificateEnds(certificates),
    checks: () => findings,
    openFiles,
  });
  return {
    node,
    checks,
    counts,
    onAnswer: answers.observe,
    readMetrics: first?.readMetrics ?? metrics.text,
    /** For a collector; null: another thread reports for all. */
    reported: first === undefined ? { since: startedAt * 1000, read: metrics.families } : null,
    noteReload({ isRefused }: { isRefused: boolean }) {
      lastReload.isRefused = isRefused;
    },
    noteCertificates(own: readonly OwnCertificate[]) {
      certificates = own;
    },
    stop: eventLoop.stop,
  };
}

/** When the last backup was begun, as last read; 0: none is known. */
function backupTime({ restores }: Pick<Store, 'restores'>) {
  let last = 0;
  return {
    at: () => last,
    async gather() {
      last = (await restores.lastBackup().catch(() => last)) ?? 0;
    },
  };
}

/** Waiting deliveries, as last read: metrics are available while the database is not. */
function deliveryCounts(
  deliveries: Pick<DeliveryStore, 'backlog'>,
  deliverer: Deliverer | null,
  clock: Clock,
): DeliveryMetrics & { gather(): Promise<void> } {
  let backlog: readonly DeliveryBacklog[] = [];
  const byKind = (countOf: (waiting: readonly DeliveryBacklog[], kind: DeliveryKind) => number) =>
    deliveryKinds.map((kind) => {
      const ofKind = backlog.filter(({ queue }) => partsOfQueue(queue)[0] === kind);
      return { kind, count: countOf(ofKind, kind) };
    });
  return {
    async gather() {
      backlog = await deliveries.backlog().catch(() => backlog);
    },
    waiting: () => byKind((found) => found.reduce((sum, { waiting }) => sum + waiting, 0)),
    longest: () => byKind((found) => Math.max(0, ...found.map(({ waiting }) => waiting))),
    oldest: () =>
      byKind((found) => {
        const now = clock.now();
        return (now - Math.min(now, ...found.map(({ oldestAt }) => oldestAt))) / SECOND;
      }),
    failing: () => byKind((found) => found.filter(({ failures }) => failures > 0).length),
    failures: () => byKind((_found, kind) => deliverer?.failures().get(kind) ?? 0),
    givenUp: () => byKind((_found, kind) => deliverer?.givenUp().get(kind) ?? 0),
  };
}

/** The checks of readiness. */
function healthChecks(
  { store, others }: Base,
  { view: { feed }, watch }: Pick<Callers, 'view' | 'watch'>,
  heartbeat: Pick<NodeHeartbeat, 'check'>,
): readonly HealthCheck[] {
  return [
    { id: 'store.read', check: async () => void (await store.changes.latest()) },
    { id: 'store.changes', check: async () => void (await Promise.all([feed.beFresh(), others.beFresh()])) },
    { id: 'store.write', check: heartbeat.check },
    {
      id: 'store.clock',
      async check() {
        if (watch.isWrong) throw watch.refusal();
      },
    },
  ];
}
