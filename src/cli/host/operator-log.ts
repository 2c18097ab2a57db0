import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { LogConfig } from '../../config/config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { auditLog } from '../../explain/audit-trail.ts';
import type { WrittenAuditTrail } from '../../model/audit-event.ts';
import { type OpenLogger, openLogger } from '../../platform/log/logger.ts';
import type { Report } from '../terminal/output.ts';
import { type ConfigOptions, openConfig } from './load-config.ts';

/**
 * The log of a command on the host, beside the configuration. @throws when the file cannot be written: work that cannot be audited is not done
 */
export function openOperatorLog(file: string, format: LogConfig['format']): OpenLogger & AsyncDisposable {
  return openLogger({ level: 'info', format, to: { file: join(dirname(file), 'controller.log') } });
}

/** The audit trail of a command on the host. Each event names the command and the system's user. */
export function operatorAudit(log: OpenLogger, command: string): WrittenAuditTrail {
  return auditLog(log.child(operatorMembers(command)));
}

/** The user who ran a command on the host, for its event. */
export function operatorMembers(command: string) {
  return { command, operator: operatorName() };
}

/** The configuration of a command on the host, and its log. */
interface Audited extends LoadedConfig {
  readonly configFile: string;
  readonly audit: WrittenAuditTrail;
  readonly log: OpenLogger;
}

/**
 * Runs a command on the host with its audit trail open before it begins and on disk after it ends.
 * @throws ConfigError with every problem of the file
 */
export async function audited<T>(
  { ports, command }: Report,
  options: ConfigOptions,
  work: (audited: Audited) => Promise<T>,
): Promise<T> {
  const opened = openConfig(ports, options);
  await using log = openOperatorLog(opened.configFile, opened.config.log.format);
  return await work({ ...opened, log, audit: operatorAudit(log, command) });
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
