import { type Command, Option } from 'commander';
import { completedBy } from '../complete/hints.ts';
import type { CliPorts } from '../ports.ts';
import type { Report } from '../terminal/output.ts';

/** How a command reports, by the options that all commands have. */
export function reportOf(command: Command, ports: CliPorts): Report {
  return { ports, json: command.optsWithGlobals().outputJson === true };
}

/** `--server`, which every command that works with a saved login has. */
export function serverOption(command: Command): Command {
  const server = new Option(
    '--server <login>',
    'use another saved login: an address, a name, or both (ada@localhost:1280)',
  );
  return command.addOption(completedBy(server, 'login'));
}

/** `--yes` of what asks at a terminal before it does something that cannot be undone. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'do not ask');
}

/** `--force`: lifts the refusal for the sake of the last administrator. */
export function forceOption(): Option {
  return new Option('--force', 'even if no administrator could log in afterwards');
}
