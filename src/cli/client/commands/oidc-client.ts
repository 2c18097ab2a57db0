import type { Command } from 'commander';
import { commandOf, runs } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { named } from '../command.ts';

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
