import type { Command } from 'commander';
import { reportOf } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { AdminOptions, RecoverOptions } from '../admin-commands.ts';
import { configOption } from '../config-option.ts';

/** `admin create|recover NAME`: administrators, managed by people who can read the files of the host. */
export function registerAdminCommands(program: Command, ports: CliPorts): void {
  const admin = program
    .command('admin')
    .description('create and recover administrators (on the host, without logging in)');

  withPassword(
    admin
      .command('create')
      .description('create an administrator with a password')
      .argument('<name>', 'user name'),
  )
    .option('--link', 'make a one-time link with which another person chooses name and password')
    .addHelpText('after', '\nSet-up links that were not used stop working.')
    .action(async (name: string, options: AdminOptions, command: Command) => {
      const { createAdmin } = await import('../admin-commands.ts');
      await createAdmin(reportOf(command, ports), name, options);
    });

  withPassword(
    admin
      .command('recover')
      .description('give an administrator a new password, enable the identity and end its sessions')
      .argument('<name>', 'user name, or name of the identity'),
  )
    .option('--reset-totp', 'also remove the authenticator app and its recovery codes')
    .action(async (name: string, options: RecoverOptions, command: Command) => {
      const { recoverAdmin } = await import('../admin-commands.ts');
      await recoverAdmin(reportOf(command, ports), name, options);
    });
}

function withPassword(command: Command): Command {
  return command
    .addOption(configOption())
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from FILE');
}
