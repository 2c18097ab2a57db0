// The roles of the first thread and of the other request threads, as far as their services depend on them.

import type { RunningAttemptLog } from '../explain/attempt-log.ts';
import type { HealthCheck } from '../http/server/health.ts';
import type { MetricSources, MetricsText } from '../http/server/metrics.ts';
import type { DevicePolls } from '../oidc/services.ts';
import type { KeySetNews, KeySetQuestion } from '../platform/jwk/jwks-cache.ts';
import type { SampledLines } from '../platform/log/sampled-lines.ts';
import type { RevocationSource } from '../sessions/revocation-view.ts';
import type { ProofMemory } from '../tokens/used-proofs.ts';
import type { ThreadCounts } from './thread-counts.ts';

/** The request threads beside the first one, as that one sees them. */
export interface OtherThreads {
  readonly threads: MetricSources['threads'];
  /** Resolves when everything that they have sent so far has arrived, and their audit events so far are stored. */
  settle(): Promise<void>;
  /** Asks each for its counts. */
  gather(): Promise<void>;
  /** The last counts, including those of threads that have died. */
  counts(): readonly ThreadCounts[];
  /** Resolves when each thread's memory is up to date. @throws if that is impossible */
  beFresh(): Promise<void>;
}

/** Services that exist once for all threads, as those beside the first one see them. */
export interface FirstThread {
  /** Number of request threads. */
  readonly threads: number;
  /** Writes lines that strangers caused. */
  readonly strangersLine: SampledLines['write'];
  readonly attempts: Pick<RunningAttemptLog, 'keep' | 'flush'>;
  readonly checks: readonly HealthCheck[];
  readonly readMetrics: () => Promise<MetricsText>;
  readonly devicePolls: DevicePolls;
  /** On SQLite, whose process has no other beside it. */
  readonly usedProofs: ProofMemory;
  /** Fetches the keys of other issuers: see `FetchingJwksCache`. */
  readonly keySet: (question: KeySetQuestion) => Promise<KeySetNews | null>;
  /** Fetches revocation lists, and asks responders. */
  readonly revocations: RevocationSource;
  readonly isCluster: () => boolean;
}

/** For a single thread that answers everything. */
export const singleThread: OtherThreads = {
  threads: { answering: 1, replaced: 0 },
  settle: async () => {},
  gather: async () => {},
  counts: () => [],
  beFresh: async () => {},
};
