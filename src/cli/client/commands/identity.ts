import type { Command } from 'commander';
import { commandOf, runs, withPassword } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { forceOption, named } from '../command.ts';

/** `invite NAME` */
export function registerInviteCommand(program: Command, ports: CliPorts): void {
  const command = commandOf(
    program,
    'invite',
    'make a link with which a person chooses a password, for example to replace a forgotten one',
  );
  named(command, 'identity')
    .option('--expires <time>', 'how long the link works, such as 30m, 24h or 7d (default: 24h)')
    .option('--end-sessions', 'using the link ends every session of the identity')
    .option('--qr', 'draw it as a QR code too')
    .option('-o, --output <file>', 'write the link to FILE, for its owner only, and not to the screen')
    .option('--withdraw', 'withdraw the link that was handed out')
    .action(runs(ports, () => import('../entities/invite.ts'))('invite'));
}

/** `identity unlock|disable|enable|reset-mfa|passkeys|set-password|end-sessions NAME` */
export function registerIdentityCommands(program: Command, ports: CliPorts): void {
  const identity = commandOf(program, 'identity', 'act on one identity');
  const run = runs(ports, () => import('../entities/identity-actions.ts'));
  const action = (name: string, description: string) =>
    named(commandOf(identity, name, description), 'identity');

  action('unlock', 'forget failed attempts at its password and codes').action(run('unlockIdentity'));
  action('reset-mfa', 'remove its authenticator app and recovery codes').action(run('resetMfa'));
  action('passkeys', 'list its passkeys, or remove one')
    .option('--remove <id>', 'remove this one; the sessions that it opened end')
    .addOption(forceOption())
    .action(run('passkeys'));
  action('disable', 'end its sessions and refuse it from now on, or change until when')
    .option('--minutes <n>', 'enable it again automatically after N minutes')
    .option('--until <time>', 'enable it again by itself at a time such as 2030-01-31T12:00:00Z')
    .addOption(forceOption())
    .action(run('disableIdentity'));
  action('enable', 'let it authenticate again').action(run('enableIdentity'));
  withPassword(action('set-password', 'give it a new password')).action(run('setPassword'));
  action('end-sessions', 'end all its sessions at once').action(run('endSessions'));
}
