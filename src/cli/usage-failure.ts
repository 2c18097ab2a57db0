// Describes in one sentence what is wrong with a command line. The parser reports what it found as a code; the words
// come from what it has read and from the existing commands.

import type { Command, CommanderError, Option } from 'commander';
import { similarKey } from '../config/nearest-key.ts';
import { type CliError, usageError } from './terminal/output.ts';

/** For a failure of the parser. @param words what was typed after the program's name */
export function usageFailure(program: Command, words: readonly string[], error: CommanderError): CliError {
  const command = deepestCommand(program, words);
  return usageError(sentence(command, words, error), helpOf(command));
}

/** The command line that shows help for the typed command, or for the nearest one above it. */
export function helpCommand(program: Command, words: readonly string[]): string {
  return helpOf(deepestCommand(program, words));
}

/** Makes every option and argument with choices refuse other values with our own sentence. */
export function refuseUnknownChoices(command: Command): void {
  for (const one of [...command.options, ...command.registeredArguments]) {
    const { argChoices: choices, parseArg: read } = one;
    if (choices === undefined) continue;
    const place = 'flags' in one ? ` for ${nameOf(one)}` : '';
    one.argParser((value: string, before: unknown) => {
      if (choices.includes(value)) return read === undefined ? value : read(value, before as never);
      const message = `Invalid value '${value}'${place}; choose one of: ${choices.join(', ')}.`;
      throw usageError(message, helpOf(command));
    });
  }
  for (const child of command.commands) refuseUnknownChoices(child);
}

function sentence(command: Command, words: readonly string[], { code, message }: CommanderError): string {
  const { args, registeredArguments } = command;
  switch (code) {
    case 'commander.help':
      return `"${pathOf(command)}" needs a subcommand.`;
    case 'commander.unknownCommand': {
      const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
      return unknown('command', args[0] ?? '', names);
    }
    case 'commander.unknownOption': {
      const flag = args.find((word) => word.startsWith('-')) ?? '';
      return unknown('option', flag, flagsOf(command));
    }
    case 'commander.missingArgument':
      return `Missing required argument '${registeredArguments[args.length]?.name()}'.`;
    case 'commander.excessArguments': {
      const expected =
        registeredArguments.length === 1 ? '1 argument' : `${registeredArguments.length} arguments`;
      return `Too many arguments for '${command.name()}': expected ${expected}, got ${args.length}: ${args.join(', ')}.`;
    }
    // The value would have been the next word.
    case 'commander.optionMissingArgument':
      return `The option ${words.at(-1)} needs a value.`;
    case 'commander.missingMandatoryOptionValue': {
      const lacking = command.options.find(
        (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
      );
      return `The option ${lacking === undefined ? '' : nameOf(lacking)} is required.`;
    }
    default:
      return message;
  }
}

function unknown(what: string, typed: string, known: readonly string[]): string {
  const meant = similarKey(typed, known);
  return `Unknown ${what} '${typed}'${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
}

function flagsOf(command: Command): readonly string[] {
  const own = command.options.map(nameOf);
  return command.parent === null ? [...own, '--help'] : [...own, ...flagsOf(command.parent)];
}

function nameOf(option: Option): string {
  return option.long ?? option.short ?? option.flags;
}

function helpOf(command: Command): string {
  return `${pathOf(command)} --help`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function deepestCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) break;
    command = next;
  }
  return command;
}
