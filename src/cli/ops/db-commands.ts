import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backupDatabase, checkDatabase, databaseName, openStore, schemaVersion } from '../../database.ts';
import { CliError } from '../cli-error.ts';
import { explained } from '../host/failures.ts';
import { configPath, loadConfigFile, shownPath } from '../host/load-config.ts';
import { notice, printResult, type Report } from '../output.ts';

/** `ops db migrate` */
export async function migrateCommand(report: Report, named: string | undefined): Promise<void> {
  await explained(async () => {
    const config = configOf(report, named);
    const store = await openStore(config);
    await store.close();
    printResult(
      report,
      { database: databaseName(config), schemaVersion },
      () => `The database has schema version ${schemaVersion}, that of this release.`,
    );
  });
}

/** `ops db backup FILE` @throws CliError the file exists, or cannot be written */
export async function backupCommand(report: Report, named: string | undefined, file: string): Promise<void> {
  await explained(async () => {
    const { ports } = report;
    const target = resolve(ports.cwd, file);
    if (existsSync(target)) {
      throw new CliError(`${file} exists already; a backup never replaces a file.`, {
        code: 'exists',
        next: 'give another name',
      });
    }
    const config = configOf(report, named);
    await backupDatabase(config, target);
    printResult(report, { backup: target }, () => `Copied the database to ${shownPath(ports.cwd, target)}.`);
    notice(
      report,
      `Keep the key file ${config.secrets.keyFile} too, in another place: neither is of use alone.`,
    );
  });
}

/** `ops db check` @throws CliError with every finding */
export async function checkCommand(report: Report, named: string | undefined): Promise<void> {
  await explained(async () => {
    const config = configOf(report, named);
    const findings = await checkDatabase(config);
    if (findings.length > 0) {
      throw new CliError(`The database is not as it should be: ${findings.join('; ')}.`, {
        code: 'damaged',
        next: 'stop the controller, keep a copy of the database as it is, and put back a backup',
      });
    }
    printResult(report, { database: databaseName(config), sound: true }, () => 'The database is sound.');
  });
}

function configOf({ ports }: Report, named: string | undefined) {
  return loadConfigFile(ports, configPath(ports, named)).config;
}
