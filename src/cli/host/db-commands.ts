import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import {
  backupDatabase,
  checkDatabase,
  databaseName,
  databaseVersion,
  openStore,
  schemaVersion,
  sqliteFile,
} from '../../controller/database.ts';
import {
  afterForeignRestore,
  type Restored,
  type RestoreNeeds,
  restoreDatabase,
} from '../../controller/restore-database.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import { isoTime, type Millis } from '../../platform/clock.ts';
import { openVault } from '../../platform/secrets/key-files.ts';
import type { Flags, Work } from '../terminal/command.ts';
import { CliError, notice, printResult, type Report } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { confirmAtTerminal } from '../terminal/prompt.ts';
import { type ConfigOptions, openConfig, shownPath } from './load-config.ts';
import { audited } from './operator-log.ts';
import { hasOtherKey, inStore } from './run/check-database.ts';

/** These may look through the whole database. */
const patient = { isPatient: true };

/** `ops db migrate` */
export async function migrateCommand(report: Report, options: ConfigOptions): Promise<void> {
  const { config } = openConfig(report.ports, options);
  const store = await openStore(config);
  await store.close();
  const { version } = await databaseVersion(config);
  printResult(report, { database: databaseName(config), schemaVersion: version }, () =>
    version === schemaVersion
      ? `The database has schema version ${version}, that of this release.`
      : `The database has schema version ${version}, of a newer release. This release, with version ${schemaVersion}, can work on it.`,
  );
}

/** `ops db backup FILE` @throws CliError the file exists or cannot be written, or the key file does not open it */
export const backupCommand: Work<ConfigOptions, readonly [string]> = async (report, options, [file]) => {
  const { ports } = report;
  const target = resolve(ports.cwd, file);
  const { keyFile } = await audited(report, options, async ({ config, audit }) => {
    const begun = ports.clock.now();
    await backupDatabase(config, target);
    audit.record({ event: 'database.copied', from: databaseName(config), to: target }, null);
    await requireKey(config, ports, `Copied the database to ${shownPath(ports.cwd, target)}`);
    await noteBackup(config, begun);
    return config.secrets;
  });
  printResult(report, { backup: target }, () => `Copied the database to ${shownPath(ports.cwd, target)}.`);
  notice(report, `Keep the key file ${keyFile} too, in another place: neither is of use alone.`);
};

/** @param found what holds besides, without a full stop. @throws CliError the key file does not open the database */
async function requireKey(config: Config, ports: CliPorts, found: string): Promise<void> {
  if (!(await hasOtherKey(config, ports))) return;
  throw new CliError(`${found}, but the key file ${config.secrets.keyFile} does not open it.`, {
    code: 'wrong_key',
    next: 'put back the key file that belongs to it, and keep a copy: without that key it is of no use',
  });
}

/** @returns false: the database is of another release */
async function noteBackup(config: Config, at: Millis): Promise<boolean> {
  return (
    (await inStore(config, ({ restores }) => restores.noteBackup(at).then(() => true), patient)) ?? false
  );
}

/** `ops db backed-up` @throws CliError the database is of another release */
export async function backedUpCommand(report: Report, options: ConfigOptions): Promise<void> {
  const now = report.ports.clock.now();
  const database = await audited(report, options, async ({ config, audit }) => {
    if (!(await noteBackup(config, now)))
      throw new CliError('The database has the schema of another release, so nothing was noted.', {
        code: 'schema',
        next: 'use the release that it belongs to',
      });
    audit.record({ event: 'database.copied', from: databaseName(config), to: 'another tool' }, null);
    return databaseName(config);
  });
  printResult(report, { database, backedUpAt: isoTime(now) }, () => `Noted a backup of ${database}.`);
}

/** `ops db check` @throws CliError with every finding */
export async function checkCommand(report: Report, options: ConfigOptions): Promise<void> {
  const { config } = openConfig(report.ports, options);
  const findings = await checkDatabase(config);
  if (findings.length > 0)
    throw new CliError(`The database is not as it should be: ${findings.join('; ')}.`, {
      code: 'damaged',
      next:
        config.db.engine === 'sqlite'
          ? 'stop the controller, keep an unchanged copy of the database, and put back a backup'
          : 'correct this on the database server',
    });
  await requireKey(config, report.ports, 'The database is sound');
  // Given before names had to differ, by an import, or by an administrator who insisted.
  const alike = (await inStore(config, (store) => store.identities.listAlike(mostAlike), patient)) ?? [];
  printResult(report, { database: databaseName(config), sound: true, alike }, () =>
    ['The database is sound.', ...alikeLines(alike)].join('\n'),
  );
}

/** How many groups of names that pass for one another are shown. */
export const mostAlike = 40;

export function alikeLines(alike: readonly (readonly string[])[]): readonly string[] {
  return alike.map((names) => `These names pass for one another: ${names.join(', ')}`);
}

const afterRestore =
  'Identities, policies, passwords and certificates are those of the backup: check what was disabled, removed or changed since.';

type RestoreOptions = ConfigOptions & Flags<'yes'>;

/** `ops db restore FILE` @throws CliError a controller runs, or the backup cannot be used; nothing is changed then */
export const restoreCommand: Work<RestoreOptions, readonly [string]> = async (report, options, [file]) => {
  const { ports } = report;
  await withRestoreNeeds(report, options, async (needs, audit) => {
    await confirmAtTerminal(
      report,
      `Replace ${databaseName(needs.config)} by ${file}? All users will have to log in again.`,
      options.yes === true,
    );
    const restored = await restoreDatabase(needs, resolve(ports.cwd, file));
    recordRestore(audit, restored);
    const database = sqliteFile(needs.config, 'restore');
    printResult(report, { database, ...restored }, () =>
      [
        `Restored ${shownPath(ports.cwd, database)} from ${file}.`,
        restored.replaced === null
          ? 'There was no database before.'
          : `The former database is ${shownPath(ports.cwd, restored.replaced)}; remove it when you no longer need it.`,
        withdrawnText(restored),
      ].join('\n'),
    );
    notice(report, afterRestore);
  });
};

/** `ops db restored` @throws CliError controllers run */
export async function restoredCommand(report: Report, options: RestoreOptions): Promise<void> {
  await withRestoreNeeds(report, options, async (needs, audit) => {
    await confirmAtTerminal(
      report,
      `End all sessions in ${databaseName(needs.config)}? All users will have to log in again.`,
      options.yes === true,
    );
    const restored = await afterForeignRestore(needs);
    recordRestore(audit, restored);
    printResult(report, restored, () => withdrawnText(restored));
    notice(report, afterRestore);
  });
}

async function withRestoreNeeds(
  report: Report,
  options: ConfigOptions,
  work: (needs: RestoreNeeds, audit: AuditTrail) => Promise<void>,
): Promise<void> {
  await audited(report, options, ({ config, audit }) => {
    const { clock, random, env } = report.ports;
    return work({ config, vault: openVault(config.secrets.keyFile, env), clock, random }, audit);
  });
}

function recordRestore(audit: AuditTrail, { restoreId, withdrawn }: Restored): void {
  audit.record({ event: 'database.restored', restoreId, sessionsEnded: withdrawn.sessions }, null);
}

function withdrawnText({ withdrawn }: Restored): string {
  const { sessions, recoveryCodes, setupLinks, enrollments, invitations } = withdrawn;
  return `Everything issued before is withdrawn: ${sessions} sessions, ${recoveryCodes} recovery codes, ${enrollments} enrollments, ${invitations} invitations and ${setupLinks} set-up links of the backup, and everything that was issued later. All users must log in again.`;
}
