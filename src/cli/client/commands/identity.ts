import type { Command } from 'commander';
import { forceOption, reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { SecretOptions } from '../../terminal/secret-input.ts';
import type { IdentityOptions } from '../entities/identity-actions.ts';
import type { InviteOptions } from '../entities/invite.ts';

type DisableOptions = IdentityOptions & {
  readonly minutes?: string;
  readonly until?: string;
  readonly force?: boolean;
};

/** `invite NAME` */
export function registerInviteCommand(program: Command, ports: CliPorts): void {
  const command = program
    .command('invite')
    .description(
      'make a link with which a person chooses a password, for example to replace a forgotten one',
    );
  argumentCompletedBy(serverOption(command).argument('<name>', 'name or id of the identity'), {
    entity: 'identity',
  })
    .option('--expires <time>', 'how long the link works, such as 30m, 24h or 7d (default: 24h)')
    .option('--end-sessions', 'using the link ends every session of the identity')
    .option('--qr', 'draw it as a QR code too')
    .option('-o, --output <file>', 'write the link to FILE, for its owner only, and not to the screen')
    .option('--withdraw', 'withdraw the link that was handed out')
    .action(async (name: string, options: InviteOptions, command: Command) => {
      const { invite } = await import('../entities/invite.ts');
      await invite(reportOf(command, ports), name, options);
    });
}

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

  action('disable', 'end its sessions and refuse it from now on, or change until when')
    .option('--minutes <n>', 'enable it again automatically after N minutes')
    .option('--until <time>', 'enable it again by itself at a time such as 2030-01-31T12:00:00Z')
    .addOption(forceOption())
    .action(async (name: string, options: DisableOptions, command: Command) => {
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
