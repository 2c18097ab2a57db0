import type { Command } from 'commander';
import type { Report } from '../output.ts';
import type { CliPorts } from '../ports.ts';

/** How a command reports, by the options that all commands have. */
export function reportOf(command: Command, ports: CliPorts): Report {
  return { ports, json: command.optsWithGlobals().outputJson === true };
}

/** `--server`, which every command that works with a saved login has. */
export function serverOption(command: Command): Command {
  return command.option('--server <url>', 'use the login at URL instead of the current one');
}
