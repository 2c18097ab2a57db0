import { readEventFilter } from '../../admin/event-subscriptions.ts';
import { databaseName, databaseVersion, hasDatabase, schemaVersion } from '../../controller/database.ts';
import { type OpenFoundations, openFoundations } from '../../controller/foundations.ts';
import { noticesOf } from '../../controller/mail.ts';
import { subscribersOnce } from '../../events/subscribers.ts';
import { keptAudit } from '../../explain/audit-trail.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import { CliError, type Report } from '../terminal/output.ts';
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
 * @throws CliError the database is from an older release
 */
export async function withHost<T>(
  report: Report,
  options: ConfigOptions,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  return audited(report, options, async ({ config, configFile, audit, log }) => {
    const { clock, random, env } = report.ports;
    // Opening would migrate it, and there may be no backup yet.
    if ((await hasDatabase(config)) && (await databaseVersion(config)).version < schemaVersion)
      throw new CliError(`${databaseName(config)} is from an older release.`, {
        code: 'schema',
        next: 'make a backup, then start a controller or run: overlay-auth ops db migrate',
      });
    await using foundations = await openFoundations({ config, clock, random, env, log });
    const kept = keptAudit(
      audit,
      {
        ...{ store: foundations.store, clock, random, log, said: operatorMembers(report.command) },
        noticeOf: noticesOf(config),
        subscribers: subscribersOnce({ ...foundations, readFilter: readEventFilter }),
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
