// How commands are described: their code is loaded when they run, and they get what was typed as it is described.

import { type Command, Option } from 'commander';
import type { Report } from './output.ts';
import type { CliPorts } from './ports.ts';

/** A command below another one, or below the program. */
export function commandOf(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

/** How a command reports, according to the options that all commands have. */
export function reportOf(command: Command, ports: CliPorts): Report {
  return { ports, json: command.optsWithGlobals().outputJson === true };
}

/** What a command does: with its options, by camel-cased name, and its arguments. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own options and arguments
type Work = (report: Report, options: any, args: any) => Promise<void>;
type WorkOf<Module> = { [Name in keyof Module]: Module[Name] extends Work ? Name : never }[keyof Module];
type Action = (...given: unknown[]) => Promise<void>;

/**
 * Makes commands that run a function of a module, which is loaded only then. An option may stand before the name of a
 * subcommand or after it.
 */
export function runs<Module>(ports: CliPorts, load: () => Promise<Module>): (name: WorkOf<Module>) => Action {
  return (name) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const work = (await load())[name] as Work;
      await work(reportOf(command, ports), command.optsWithGlobals(), command.processedArgs);
    };
}

/** `--yes`, for commands that ask at a terminal before they do something irreversible. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'do not ask');
}

/** `--password-stdin` and `--password-file`. @param words which password, and when it is read */
export function withPassword(command: Command, words = 'read the password'): Command {
  return command
    .option('--password-stdin', `${words} from standard input`)
    .option('--password-file <file>', `${words} from FILE`);
}
