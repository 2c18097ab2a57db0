import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { LogConfig } from '../../config/config.ts';
import { auditLog } from '../../explain/audit-trail.ts';
import type { WrittenAuditTrail } from '../../model/audit-event.ts';
import { type OpenLogger, openLogger } from '../../platform/log/logger.ts';

/** Where commands on the host, and quickstart, write their log: beside the configuration. */
function logFileOf(configFile: string): string {
  return join(dirname(configFile), 'controller.log');
}

/** The log of a command on the host. @throws when the file cannot be written: what is not audited is not done */
export function openOperatorLog(
  configFile: string,
  format: LogConfig['format'],
): OpenLogger & AsyncDisposable {
  return openLogger({ level: 'info', format, to: { file: logFileOf(configFile) } });
}

/** The audit trail of a command on the host. Each event names the command and the system's user. */
export function operatorAudit(log: OpenLogger, command: string): WrittenAuditTrail {
  return auditLog(log.child(operatorMembers(command)));
}

/** What the event of a command on the host says about who ran it. */
export function operatorMembers(command: string) {
  return { command, operator: operatorName() };
}

/** Runs a command on the host with its audit trail open before it begins and on disk after it ends. */
export async function audited<T>(
  { configFile, config }: { readonly configFile: string; readonly config: { readonly log: LogConfig } },
  command: string,
  work: (audit: WrittenAuditTrail, log: OpenLogger) => Promise<T>,
): Promise<T> {
  await using log = openOperatorLog(configFile, config.log.format);
  return await work(operatorAudit(log, command), log);
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
