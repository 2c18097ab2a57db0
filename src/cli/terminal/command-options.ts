import { type Command, Option } from 'commander';
import { completedBy } from './hints.ts';
import type { Report } from './output.ts';
import type { CliPorts } from './ports.ts';

/** How a command reports, according to the options that all commands have. */
export function reportOf(command: Command, ports: CliPorts): Report {
  return { ports, json: command.optsWithGlobals().outputJson === true };
}

/** `--server`, an option of every command that uses a saved login. */
export function serverOption(command: Command): Command {
  const server = new Option(
    '--server <login>',
    'use another saved login: an address, a name, or both (ada@localhost:1280)',
  );
  return command.addOption(completedBy(server, 'login'));
}

/** `--yes`, for commands that ask at a terminal before they do something irreversible. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'do not ask');
}

/** `--force`: allows what the rules about the last administrator, and about names, would refuse. */
export function forceOption(what: 'changes' | 'names' = 'changes'): Option {
  const also = what === 'names' ? ', or the name passes for that of another identity' : '';
  return new Option('--force', `even if no administrator could log in afterwards${also}`);
}
