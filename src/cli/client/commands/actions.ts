// The commands that act on one entity, and on many identities at once.

import { Argument, type Command, Option } from 'commander';
import { bulkActions } from '../../../model/bulk-actions.ts';
import { commandOf, runs, withPassword, yesOption } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { forceOption, named, serverOption } from '../command.ts';

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
    .option('--send', 'mail the link to the email address of the identity instead of showing it')
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

  const runMany = runs(ports, () => import('../entities/many-identities.ts'));
  const many = (name: string, description: string) =>
    serverOption(commandOf(identity, name, description))
      .option('--dry-run', 'only say what it would do')
      .addOption(forceOption('names'));
  many('each', 'do something for each identity that a filter selects, all or nothing')
    .addArgument(new Argument('<action>', 'what to do').choices([...bulkActions]))
    .option('--filter <filter>', 'such as: roleAttributes contains "sales"')
    .option('--until <time>', 'with disable: a time such as 2030-01-31T12:00:00Z')
    .option('--expires <time>', 'with invite: how long the links work (default: 24h)')
    .option('--end-sessions', 'with invite: using a link ends every session of its identity')
    .addOption(yesOption())
    .action(runMany('eachIdentity'));
  serverOption(commandOf(identity, 'continue', 'carry on a change of many that was stopped, or list those'))
    .argument('[job]', 'its id')
    .addOption(forceOption('names'))
    .addOption(yesOption())
    .action(runMany('continueJob'));
  many('import', 'create identities from a table (CSV), all or nothing')
    .argument(
      '<file>',
      'its first line names columns: name, type, externalId, email, roleAttributes, authPolicy',
    )
    .action(runMany('importIdentities'));
}

/** `ca verify NAME --cert FILE` */
export function registerCaCommands(program: Command, ports: CliPorts): void {
  const ca = commandOf(program, 'ca', 'act on one third-party authority');
  named(commandOf(ca, 'verify', 'prove that you hold its key'), 'ca', 'authority')
    .requiredOption(
      '--cert <file>',
      'a certificate that it issued, with its verification token as the common name',
    )
    .action(runs(ports, () => import('../entities/ca-actions.ts'))('verifyCa'));
}

/** `oidc-client add-secret|delete-secret NAME` */
export function registerOidcClientCommands(program: Command, ports: CliPorts): void {
  const group = commandOf(program, 'oidc-client', 'act on one application that logs people in here');
  const run = runs(ports, () => import('../entities/oidc-client-actions.ts'));
  const action = (name: string, description: string) =>
    named(commandOf(group, name, description), 'oidc-client', 'application');

  action('add-secret', 'create a secret, which is shown once').action(run('addClientSecret'));
  action('delete-secret', 'delete a secret, the older one of two')
    .argument('[id]', 'of the secret')
    .action(run('deleteClientSecret'));
}

/** `event-subscription test|deliveries|replay|rotate-secret NAME` */
export function registerEventSubscriptionCommands(program: Command, ports: CliPorts): void {
  const group = commandOf(program, 'event-subscription', 'act on one server to which events are sent');
  const run = runs(ports, () => import('../entities/event-subscription-actions.ts'));
  const action = (name: string, description: string) =>
    named(commandOf(group, name, description), 'event-subscription', 'subscription');

  action('test', 'send a test event, and say how that went').action(run('testSubscription'));
  action('deliveries', 'list the events that wait, were delivered or were given up, the newest first')
    .addOption(new Option('--state <state>', 'only these').choices(['waiting', 'delivered', 'failed']))
    .option('--limit <n>', 'how many (default: 100)')
    .action(run('listDeliveries'));
  action('replay', 'send events again that were given up')
    .option('--since <time>', 'all since then, such as 2030-01-31T12:00:00Z, delivered ones too')
    .option('--id <id...>', 'only these')
    .action(run('replayEvents'));
  action('rotate-secret', 'make another secret, which is shown once; the one before it signs too for a while')
    .option('--overlap <time>', 'for how long, such as 1h (default: 24h)')
    .action(run('rotateSecret'));
}
