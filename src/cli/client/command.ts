import { type Command, Option } from 'commander';
import { argumentCompletedBy, completedBy } from '../terminal/hints.ts';

/** `--server`, an option of every command that uses a saved login. */
export function serverOption(command: Command): Command {
  const server = new Option(
    '--server <login>',
    'use another saved login: an address, a name, or both (ada@localhost:1280)',
  );
  return command.addOption(completedBy(server, 'login'));
}

/** A command that acts on one entity. @param noun such as `identity` */
export function named(command: Command, entity: string, noun = entity): Command {
  return argumentCompletedBy(serverOption(command).argument('<name>', `name or id of the ${noun}`), {
    entity,
  });
}

/** `--force`: allows what the rules about the last administrator, and about names, would refuse. */
export function forceOption(what: 'changes' | 'names' = 'changes'): Option {
  const also = what === 'names' ? ', or the name passes for that of another identity' : '';
  return new Option('--force', `even if no administrator could log in afterwards${also}`);
}
