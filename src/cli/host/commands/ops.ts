import type { Command } from 'commander';
import type { ImportOptions } from '../../../../packages/import-ziti/src/import-ziti.ts';
import { reportOf, yesOption } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption } from '../config-option.ts';

interface OpsOptions {
  readonly config?: string;
}

/** `ops db …`: database maintenance. Restoring and moving need the controllers stopped; the rest works beside one. */
export function registerOpsCommands(program: Command, ports: CliPorts): void {
  const ops = program.command('ops').description('operate a controller (on the host)');
  const db = ops.command('db').description('the database');

  db.command('migrate')
    .description('migrate the database to the schema of this release; starting a controller does it too')
    .addOption(configOption())
    .action(async (options: OpsOptions, command: Command) => {
      const { migrateCommand } = await import('../db-commands.ts');
      await migrateCommand(reportOf(command, ports), options.config);
    });

  db.command('backup')
    .description('copy the database as of this moment into FILE, which must not exist')
    .argument('<file>', 'file to write')
    .addOption(configOption())
    .action(async (file: string, options: OpsOptions, command: Command) => {
      const { backupCommand } = await import('../db-commands.ts');
      await backupCommand(reportOf(command, ports), options.config, file);
    });

  db.command('restore')
    .description('replace the database with the backup FILE; sessions end, and tokens and links stop working')
    .argument('<file>', 'backup to restore; it is not changed')
    .addOption(configOption())
    .addOption(yesOption())
    .action(async (file: string, options: OpsOptions & { readonly yes?: boolean }, command: Command) => {
      const { restoreCommand } = await import('../db-commands.ts');
      await restoreCommand(reportOf(command, ports), options, file);
    });

  db.command('restored')
    .description(
      'after the database was put back with other tools: end all sessions, withdraw tokens and links',
    )
    .addOption(configOption())
    .addOption(yesOption())
    .action(async (options: OpsOptions & { readonly yes?: boolean }, command: Command) => {
      const { restoredCommand } = await import('../db-commands.ts');
      await restoredCommand(reportOf(command, ports), options);
    });

  db.command('check')
    .description('look for damage in the database')
    .addOption(configOption())
    .action(async (options: OpsOptions, command: Command) => {
      const { checkCommand } = await import('../db-commands.ts');
      await checkCommand(reportOf(command, ports), options.config);
    });

  db.command('move')
    .description('move an SQLite database, with every session, to an empty PostgreSQL database')
    .requiredOption(
      '--to <url>',
      'postgres://USER@HOST/NAME; the password may come from PGPASSWORD or PGPASSFILE',
    )
    .addOption(configOption())
    .action(async (options: OpsOptions & { readonly to: string }, command: Command) => {
      const { moveCommand } = await import('../move-database.ts');
      await moveCommand(reportOf(command, ports), options.config, options.to);
    });

  registerImportCommand(ops, ports);
}

function registerImportCommand(ops: Command, ports: CliPorts): void {
  ops
    .command('import')
    .description('import the data of another controller')
    .command('ziti')
    .description(
      'take over identities, what they log in with, policies, signers and CAs from the database file of a controller of OpenZiti; everybody logs in with what they have. Repeating is safe',
    )
    .argument('<file>', 'its database: ctrl-ha.db of the stopped controller, or a snapshot')
    .option('--dry-run', 'say what would be done, and write nothing')
    .option('--report <file>', 'write the whole report as JSON')
    .option(
      '--trust <file>',
      'certificates of the authorities that issued its client certificates; the database does not contain them (may be repeated)',
      (file: string, files: readonly string[] = []) => [...files, file],
    )
    .option(
      '--signing-key <file>',
      'key of one of these authorities, to keep issuing client certificates with it',
    )
    .addOption(configOption())
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { importZiti } = await import('../../../../packages/import-ziti/src/import-ziti.ts');
      await importZiti(reportOf(command, ports), file, options);
    });
}
