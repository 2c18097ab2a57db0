import type { Command } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';

interface Options {
  readonly server?: string;
}

/** `oidc-client add-secret|delete-secret NAME` */
export function registerOidcClientCommands(program: Command, ports: CliPorts): void {
  const group = program.command('oidc-client').description('act on one application that logs people in here');
  const named = (command: Command) =>
    argumentCompletedBy(command.argument('<name>', 'name or id of the application'), {
      entity: 'oidc-client',
    });

  named(serverOption(group.command('add-secret').description('create a secret, which is shown once'))).action(
    async (name: string, options: Options, command: Command) => {
      const { addClientSecret } = await import('../entities/oidc-client-actions.ts');
      await addClientSecret(reportOf(command, ports), name, options);
    },
  );
  const deletion = named(
    serverOption(group.command('delete-secret').description('delete a secret, the older one of two')),
  ).argument('[id]', 'of the secret');
  deletion.action(async (name: string, id: string | undefined, options: Options) => {
    const { deleteClientSecret } = await import('../entities/oidc-client-actions.ts');
    await deleteClientSecret(reportOf(deletion, ports), { nameOrId: name, secretId: id }, options);
  });
}
