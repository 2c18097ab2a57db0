import { readEventFilter } from '../../admin/event-subscriptions.ts';
import { type OpenFoundations, openFoundations } from '../../controller/foundations.ts';
import { noticesOf } from '../../controller/mail.ts';
import { subscribersOnce } from '../../events/subscribers.ts';
import { keptAudit } from '../../explain/audit-trail.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import type { Report } from '../terminal/output.ts';
import type { ConfigOptions } from './load-config.ts';
import { audited, operatorMembers } from './operator-log.ts';

export interface Host {
  readonly configFile: string;
  readonly foundations: OpenFoundations;
  /** Writes to the log beside the configuration, with the name of the user who runs the command. */
  readonly audit: AuditTrail;
}

/**
 * Opens the foundations of a controller for the duration of `work`, whether or not one is running.
 * @throws CliError
 */
export async function withHost<T>(
  report: Report,
  options: ConfigOptions,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  return audited(report, options, async ({ config, configFile, audit, log }) => {
    const { clock, random, env } = report.ports;
    await using foundations = await openFoundations({ config, clock, random, env, log });
    const kept = keptAudit(
      audit,
      {
        ...{ store: foundations.store, clock, random, log, said: operatorMembers(report.command) },
        noticeOf: noticesOf(config),
        subscribers: subscribersOnce({ store: foundations.store, readFilter: readEventFilter }),
      },
      () => config.edge.auditEvents.keepAtMost,
    );
    try {
      return await work({ configFile, foundations, audit: kept });
    } finally {
      await kept.kept();
    }
  });
}
