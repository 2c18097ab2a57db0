import { type OpenFoundations, openFoundations } from '../../controller/foundations.ts';
import { keptAudit } from '../../explain/audit-trail.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { explained } from './failures.ts';
import { configPath, loadConfigFile } from './load-config.ts';
import { audited, operatorMembers } from './operator-log.ts';

export interface Host {
  readonly configFile: string;
  readonly foundations: OpenFoundations;
  /** Writes to the log beside the configuration, with the name of the user who runs the command. */
  readonly audit: AuditTrail;
}

/**
 * Opens the foundations of a controller for the duration of `work`, whether or not one is running.
 * @param named   the configuration file, if given
 * @param command its name in the audit trail
 * @throws CliError
 */
export async function withHost<T>(
  ports: CliPorts,
  { named, command }: { readonly named: string | undefined; readonly command: string },
  work: (host: Host) => Promise<T>,
): Promise<T> {
  return explained(async () => {
    const configFile = configPath(ports, named);
    const { config } = loadConfigFile(ports, configFile);
    return audited({ configFile, config, command }, async (audit, log) => {
      const { clock, random, env } = ports;
      const foundations = await openFoundations({ config, clock, random, env, log });
      const kept = keptAudit(
        audit,
        { store: foundations.store, clock, random, log, said: operatorMembers(command) },
        () => config.edge.auditEvents.keepAtMost,
      );
      try {
        return await work({ configFile, foundations, audit: kept });
      } finally {
        await kept.kept();
        await foundations.close();
      }
    });
  });
}
