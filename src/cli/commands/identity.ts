import type { Command } from 'commander';
import { argumentCompletedBy } from '../complete/hints.ts';
import type { IdentityOptions } from '../entities/identity-actions.ts';
import type { CliPorts } from '../ports.ts';
import type { SecretOptions } from '../terminal/secret-input.ts';
import { reportOf, serverOption } from './report-of.ts';

/** `identity unlock|disable|enable|reset-mfa|set-password|end-sessions NAME` */
export function registerIdentityCommands(program: Command, ports: CliPorts): void {
  const identity = program.command('identity').description('act on one identity');
  const action = (name: string, description: string) =>
    argumentCompletedBy(
      serverOption(identity.command(name).description(description)).argument(
        '<name>',
        'name or id of the identity',
      ),
      { entity: 'identity' },
    );

  action('unlock', 'forget failed attempts at its password and codes').action(
    async (name: string, options: IdentityOptions, command: Command) => {
      const { unlockIdentity } = await import('../entities/identity-actions.ts');
      await unlockIdentity(reportOf(command, ports), name, options);
    },
  );

  action('reset-mfa', 'remove its authenticator app and recovery codes').action(
    async (name: string, options: IdentityOptions, command: Command) => {
      const { resetMfa } = await import('../entities/identity-actions.ts');
      await resetMfa(reportOf(command, ports), name, options);
    },
  );

  action('disable', 'end its sessions and refuse it from now on')
    .option('--minutes <n>', 'enable it again by itself after N minutes')
    .action(async (name: string, options: IdentityOptions & { minutes?: string }, command: Command) => {
      const { disableIdentity } = await import('../entities/identity-actions.ts');
      await disableIdentity(reportOf(command, ports), name, options);
    });

  action('enable', 'let it authenticate again').action(
    async (name: string, options: IdentityOptions, command: Command) => {
      const { enableIdentity } = await import('../entities/identity-actions.ts');
      await enableIdentity(reportOf(command, ports), name, options);
    },
  );

  action('set-password', 'give it a new password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from FILE')
    .action(async (name: string, options: IdentityOptions & SecretOptions, command: Command) => {
      const { setPassword } = await import('../entities/identity-actions.ts');
      await setPassword(reportOf(command, ports), name, options);
    });

  action('end-sessions', 'end all its sessions at once').action(
    async (name: string, options: IdentityOptions, command: Command) => {
      const { endSessions } = await import('../entities/identity-actions.ts');
      await endSessions(reportOf(command, ports), name, options);
    },
  );
}
