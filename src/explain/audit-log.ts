// explain/ keeps the record of what was decided and why, for administrators. This file writes the audit trail
// as one structured log line for each event.

import type { AuditEvent, WrittenAuditTrail } from '../model/audit-event.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { SampledLines } from '../platform/log/sampled-lines.ts';

/** What anybody can cause as often as they like. */
const ofStrangers: ReadonlySet<AuditEvent['event']> = new Set(['login.refused', 'enrollment.refused']);

/**
 * The audit trail over the log, whatever its level is. Events hold ids and reasons, never secrets.
 * @param strangersLog takes the refusals of strangers; absent where none arrive
 */
export function auditLog(log: Logger, strangersLog?: SampledLines): WrittenAuditTrail {
  return {
    record(event, origin) {
      const fields = {
        ...event,
        requestId: origin?.requestId ?? null,
        ...(origin?.traceId === undefined ? {} : { traceId: origin.traceId }),
        ipAddress: origin?.ipAddress ?? null,
        issuer: origin?.issuer ?? null,
      };
      if (strangersLog === undefined || !ofStrangers.has(event.event)) log.always('audit', fields);
      else strangersLog.write({ level: 'always', kind: event.event, message: 'audit', fields });
    },
    written: () => log.written?.() ?? Promise.resolve(true),
  };
}
