// What a thread records: the audit trail, and the decision records of logins. Both are counted on the way, for the
// metrics.

import type { Config } from '../config/config.ts';
import { attemptLog, type RunningAttemptLog, recordedAttempts } from '../explain/attempt-log.ts';
import { auditLog, keptAudit } from '../explain/audit-trail.ts';
import {
  type AttemptLabels,
  type AuditLabels,
  countedAttempts,
  countedAudit,
  tally,
} from '../explain/counts.ts';
import type { KeptAuditTrail } from '../model/audit-event.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import { type SampledLines, sampledLines } from '../platform/log/sampled-lines.ts';
import type { Random } from '../platform/random.ts';
import type { Store } from '../store/contracts/store.ts';
import type { ThreadCounts } from './thread-counts.ts';
import type { FirstThread, OtherThreads } from './thread-roles.ts';

export interface Records {
  readonly audit: KeptAuditTrail;
  readonly attempts: Pick<RunningAttemptLog, 'begin' | 'keep' | 'flush'>;
  /** For lines that anybody can cause. */
  readonly strangersLog: SampledLines;
  /** Of this thread. */
  counts(): Pick<ThreadCounts, 'auditEvents' | 'loginAttempts'>;
  /** How many decision records wait, and how many were dropped. */
  readonly queue: RunningAttemptLog['queue'];
}

/** @param limits by the configuration in use */
export function openRecords(
  needs: {
    readonly store: Pick<Store, 'auditEvents' | 'loginAttempts'>;
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Logger;
    readonly first: FirstThread | undefined;
    readonly others: Pick<OtherThreads, 'settle'>;
  },
  limits: () => Pick<Config['edge'], 'auditEvents' | 'loginAttempts'>,
): Records {
  const { clock, random, log, first, others } = needs;
  const auditEvents = tally<AuditLabels>();
  const strangersLog = sampledLines({
    clock,
    write: first?.strangersLine ?? (({ level, message, fields }) => log[level](message, fields)),
  });
  const trail = keptAudit(auditLog(log, strangersLog), needs, () => limits().auditEvents.keepAtMost);
  const audit = countedAudit(trail, auditEvents);

  const keepAtMost = () => limits().loginAttempts.keepAtMost;
  const attemptRecords = attemptLog(needs, keepAtMost);
  const loginAttempts = tally<AttemptLabels>();
  const keepAttempt = first?.attempts.keep ?? attemptRecords.keep;
  const attempts = {
    ...countedAttempts(recordedAttempts({ clock, random }, keepAttempt), loginAttempts),
    keep: keepAttempt,
    async flush() {
      await others.settle();
      await (first?.attempts ?? attemptRecords).flush();
    },
  };

  return {
    audit,
    attempts,
    strangersLog,
    counts: () => ({ auditEvents: auditEvents.list(), loginAttempts: loginAttempts.list() }),
    queue: attemptRecords.queue,
  };
}
