import type { Command } from 'commander';
import { commandOf, yesOption } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `ops db …`: database maintenance. Restoring and moving need the controllers stopped; the rest works beside one. */
export function registerOpsCommands(program: Command, ports: CliPorts): void {
  const ops = commandOf(program, 'ops', 'operate a controller (on the host)');
  const db = commandOf(ops, 'db', 'the database');
  const run = runsOnHost(ports, () => import('../db-commands.ts'));
  const runMove = runsOnHost(ports, () => import('../move-database.ts'));

  commandOf(
    db,
    'migrate',
    'migrate the database to the schema of this release; starting a controller does it too',
  )
    .addOption(configOption())
    .action(run('migrateCommand'));

  commandOf(db, 'backup', 'copy the database as of this moment into FILE, which must not exist')
    .argument('<file>', 'file to write')
    .addOption(configOption())
    .action(run('backupCommand'));

  commandOf(
    db,
    'restore',
    'replace the database with the backup FILE; sessions end, and tokens and links stop working',
  )
    .argument('<file>', 'backup to restore; it is not changed')
    .addOption(configOption())
    .addOption(yesOption())
    .action(run('restoreCommand'));

  commandOf(
    db,
    'restored',
    'after the database was put back with other tools: end all sessions, withdraw tokens and links',
  )
    .addOption(configOption())
    .addOption(yesOption())
    .action(run('restoredCommand'));

  commandOf(
    db,
    'backed-up',
    'after other tools have made a backup that is complete: note it, for metrics and alerts',
  )
    .addOption(configOption())
    .action(run('backedUpCommand'));

  commandOf(db, 'check', 'look for damage in the database')
    .addOption(configOption())
    .action(run('checkCommand'));

  commandOf(db, 'move', 'move an SQLite database, with every session, to an empty PostgreSQL database')
    .requiredOption(
      '--to <url>',
      'postgres://USER@HOST/NAME; the password may come from PGPASSWORD or PGPASSFILE',
    )
    .addOption(configOption())
    .action(runMove('moveCommand'));

  registerImportCommand(ops, ports);
}

function registerImportCommand(ops: Command, ports: CliPorts): void {
  const run = runsOnHost(ports, () => import('../../../../packages/import-ziti/src/import-ziti.ts'));
  commandOf(
    commandOf(ops, 'import', 'import the data of another controller'),
    'ziti',
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
    .action(run('importZiti'));
}
