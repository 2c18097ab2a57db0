// What the first thread is to the others that answer requests, and they to it, as far as the services of each need it.

import type { RunningAttemptLog } from './explain/attempt-log.ts';
import type { HealthCheck } from './http/server/health.ts';
import type { MetricSources, MetricsText } from './http/server/metrics.ts';
import type { DevicePolls } from './oidc/grants/grant-device-code.ts';
import type { SampledLines } from './platform/log/sampled-lines.ts';
import type { ThreadCounts } from './thread-counts.ts';

/** The threads that answer requests beside the first one, as that one sees them. */
export interface OtherThreads {
  readonly threads: MetricSources['threads'];
  /** Resolves when all that they have told so far has arrived. */
  settle(): Promise<void>;
  /** Asks each what it has counted. */
  gather(): Promise<void>;
  /** What was gathered last, and of those that have died. */
  counts(): readonly ThreadCounts[];
  /** Resolves when what each has in memory is true. @throws when it cannot be had */
  beFresh(): Promise<void>;
}

/** What there is once for all threads, as those beside the first one see it. */
export interface FirstThread {
  /** That answer requests. */
  readonly threads: number;
  /** Takes lines that strangers caused. */
  readonly strangersLine: SampledLines['write'];
  readonly attempts: Pick<RunningAttemptLog, 'keep' | 'flush'>;
  readonly checks: readonly HealthCheck[];
  readonly readMetrics: () => Promise<MetricsText>;
  readonly devicePolls: DevicePolls;
  readonly isCluster: () => boolean;
}

/** Where one thread answers everything. */
export const noOthers: OtherThreads = {
  threads: { answering: 1, replaced: 0 },
  settle: async () => {},
  gather: async () => {},
  counts: () => [],
  beFresh: async () => {},
};
