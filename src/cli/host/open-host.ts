import { readEventFilter } from '../../admin/event-subscriptions.ts';
import { type OpenFoundations, openFoundations } from '../../controller/foundations.ts';
import { noticesOf } from '../../controller/mail.ts';
import { subscribersOnce } from '../../events/subscribers.ts';
import { keptAudit } from '../../explain/audit-trail.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { type ConfigOptions, openConfig } from './load-config.ts';
import { audited, operatorMembers } from './operator-log.ts';

export interface Host {
  readonly configFile: string;
  readonly foundations: OpenFoundations;
  /** Writes to the log beside the configuration, with the name of the user who runs the command. */
  readonly audit: AuditTrail;
}

/**
 * Opens the foundations of a controller for the duration of `work`, whether or not one is running.
 * @param command its name in the audit trail
 * @throws CliError
 */
export async function withHost<T>(
  ports: CliPorts,
  { command, ...options }: ConfigOptions & { readonly command: string },
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const opened = openConfig(ports, options);
  const { config, configFile } = opened;
  return audited(opened, command, async (audit, log) => {
    const { clock, random, env } = ports;
    await using foundations = await openFoundations({ config, clock, random, env, log });
    const kept = keptAudit(
      audit,
      {
        ...{ store: foundations.store, clock, random, log, said: operatorMembers(command) },
        noticeOf: noticesOf(() => config),
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
