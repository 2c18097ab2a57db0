// Records of a thread: the audit trail, and the decision records of logins. Both are counted on the way, for the
// metrics.

import { readEventFilter } from '../admin/event-subscriptions.ts';
import { subscriberView } from '../events/subscribers.ts';
import { attemptLog, recordedAttempts } from '../explain/attempt-log.ts';
import { auditLog, keptAudit } from '../explain/audit-trail.ts';
import {
  type AttemptLabels,
  type AuditLabels,
  attemptCounter,
  countedAudit,
  tally,
} from '../explain/counts.ts';
import { noticesBy } from '../mail/notices.ts';
import { type SampledLine, sampledLines, samplingOfCallers } from '../platform/log/sampled-lines.ts';
import type { Base } from './in-use.ts';

export type Records = ReturnType<typeof openRecords>;

export function openRecords(base: Base) {
  const { clock, random, log, first, others, inUse } = base;
  const auditEvents = tally<AuditLabels>();
  const write = ({ level, message, fields }: SampledLine) => log[level](message, fields);
  const strangersLog = sampledLines({ clock, write: first?.strangersLine ?? write });
  const subscribers = subscriberView({ ...base, readFilter: readEventFilter });
  const needs = { ...base, subscribers, noticeOf: noticesBy(() => inUse.mail) };
  const trail = keptAudit(auditLog(log, strangersLog), needs, () => inUse.edge.auditEvents.keepAtMost);
  const audit = countedAudit(trail, auditEvents);

  const keepAtMost = () => inUse.edge.loginAttempts.keepAtMost;
  const attemptRecords = attemptLog(needs, keepAtMost);
  const loginAttempts = tally<AttemptLabels>();
  const keepAttempt = first?.attempts.keep ?? attemptRecords.keep;
  const count = attemptCounter(loginAttempts);
  const attempts = {
    ...recordedAttempts({ clock, random }, (attempt) => {
      // Even if a flood drops the record.
      count(attempt);
      keepAttempt(attempt);
    }),
    keep: keepAttempt,
    /** Resolves when the decision records and audit events of all threads so far are in the store. */
    async flush() {
      await others.settle();
      await Promise.all([(first?.attempts ?? attemptRecords).flush(), audit.kept()]);
    },
  };

  return {
    audit,
    /** Filled by who follows the change feed. */
    subscribers,
    attempts,
    /** For lines that anybody can cause. */
    strangersLog,
    /** For lines that callers can cause, of this thread. */
    callersLog: sampledLines({ clock, write }, samplingOfCallers),
    /** Of this thread. */
    counts: () => ({ auditEvents: auditEvents.list(), loginAttempts: loginAttempts.list() }),
    /** How many decision records wait, and how many were dropped. */
    queue: attemptRecords.queue,
  };
}
