import type { Command } from 'commander';
import { commandOf, withPassword } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `admin create|recover NAME`: administrators, managed by people who can read the files of the host. */
export function registerAdminCommands(program: Command, ports: CliPorts): void {
  const admin = commandOf(
    program,
    'admin',
    'create and recover administrators (on the host, without logging in)',
  );
  const run = runsOnHost(ports, () => import('../admin-commands.ts'));

  const create = commandOf(admin, 'create', 'create an administrator with a password');
  withPassword(create.argument('<name>', 'user name').addOption(configOption()))
    .option('--link', 'make a one-time link with which another person chooses name and password')
    .addHelpText('after', '\nSet-up links that were not used stop working.')
    .action(run('createAdmin'));

  const recover = commandOf(
    admin,
    'recover',
    'give an administrator a new password, enable the identity and end its sessions',
  );
  withPassword(recover.argument('<name>', 'user name, or name of the identity').addOption(configOption()))
    .option('--reset-totp', 'also remove the authenticator app and its recovery codes')
    .action(run('recoverAdmin'));
}
