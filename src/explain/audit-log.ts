// explain/ keeps the record of what was decided and why, for administrators. This file writes the audit trail
// as one structured log line for each event.

import type { AuditTrail } from '../model/audit-event.ts';
import type { Logger } from '../platform/log/logger.ts';

/** The audit trail over the log. Events hold ids and reasons, never secrets. */
export function auditLog(log: Logger): AuditTrail {
  return {
    record(event, origin) {
      log.info('audit', {
        ...event,
        requestId: origin?.requestId ?? null,
        ipAddress: origin?.ipAddress ?? null,
        issuer: origin?.issuer ?? null,
      });
    },
  };
}
