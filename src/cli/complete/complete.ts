// The possible words at the end of a command line. All shells get the same answer; their scripts (scripts.ts) only ask
// and show.

import type { Argument, Command, Option } from 'commander';
import { hintOf, sharedOptionsLast } from '../terminal/command.ts';
import type { CliPorts } from '../terminal/ports.ts';

/** File names are possible; the shell knows them. */
const files = ':files';

/** Where the last word is on the command line. */
interface Place {
  readonly command: Command;
  /** How many arguments of the command come before it. */
  readonly argumentsBefore: number;
  /** The option whose value is being typed. */
  readonly option: Option | undefined;
  /** The value of `--server`, if it comes before. */
  readonly server: string | undefined;
  /** Whether `--` comes before: later words are not options. */
  readonly isPlain: boolean;
}

/**
 * The words that could replace the last one; a single `:files` if the shell should complete file names.
 * Prints nothing and prompts for nothing if the server cannot be asked: the person is typing.
 * @param words what was typed after the program's name; the last one is incomplete and may be empty
 */
export async function complete(
  ports: CliPorts,
  program: Command,
  words: readonly string[],
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const before = words[0] === 'edge' ? words.slice(1, -1) : words.slice(0, -1);
  const place = placeAfter(program, sharedOptionsLast(program, before));
  const found = await candidates(ports, place, typed);
  return found.length === 1 && found[0] === files ? found : found.filter((word) => word.startsWith(typed));
}

function placeAfter(program: Command, before: readonly string[]): Place {
  let place: Place = {
    command: program,
    argumentsBefore: 0,
    option: undefined,
    server: undefined,
    isPlain: false,
  };
  for (const word of before) {
    const { command, argumentsBefore, option } = place;
    if (option !== undefined) {
      place = { ...place, option: undefined, ...(option.long === '--server' ? { server: word } : {}) };
      continue;
    }
    const child =
      argumentsBefore > 0
        ? undefined
        : command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!place.isPlain && word === '--') place = { ...place, isPlain: true };
    else if (!place.isPlain && word.startsWith('-'))
      place = { ...place, option: optionWithValue(command, word) };
    else if (child !== undefined) place = { ...place, command: child };
    else place = { ...place, argumentsBefore: argumentsBefore + 1 };
  }
  return place;
}

/** The option that this word names, if its value comes in the next word. */
function optionWithValue(command: Command, word: string): Option | undefined {
  return command.options.find(({ short, long, required }) => required && (word === short || word === long));
}

async function candidates(ports: CliPorts, place: Place, typed: string): Promise<readonly string[]> {
  const { command, option, server } = place;
  if (option !== undefined) return valuesOf(ports, { what: option, flags: option.flags }, { server, typed });
  if (!place.isPlain && typed.startsWith('-')) return optionNames(command);
  const args = command.registeredArguments;
  const last = args.at(-1);
  const argument = args[place.argumentsBefore] ?? (last?.variadic === true ? last : undefined);
  const values =
    argument === undefined
      ? []
      : await valuesOf(ports, { what: argument, flags: `<${argument.name()}>` }, { server, typed });
  const commands = place.argumentsBefore > 0 ? [] : subcommandNames(command, typed);
  return commands.length > 0 ? [...commands, ...values.filter((value) => value !== files)] : values;
}

async function valuesOf(
  ports: CliPorts,
  { what, flags }: { what: Option | Argument; flags: string },
  { server, typed }: Pick<Place, 'server'> & { readonly typed: string },
): Promise<readonly string[]> {
  if (what.argChoices !== undefined) return what.argChoices;
  const hint = hintOf(what);
  if (hint === undefined) return /[<[](file|dir|config|cert|key)[\].>]/.test(flags) ? [files] : [];
  const { loginWords, namesOf } = await import('../client/saved-words.ts');
  if (hint === 'login') return loginWords(ports);
  // The entries of a list before the last one stay.
  const before = hint.isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const entry = typed.slice(before.length);
  const words =
    'among' in hint ? hint.among : await namesOf(ports, server, { entityName: hint.entity, typed: entry });
  const given = before.split(',');
  return words.filter((word) => !given.includes(word)).map((word) => before + word);
}

/** One word for each command: its name, or an alias if that is being typed. */
function subcommandNames(command: Command, typed: string): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map(
      (child) => [child.name(), ...child.aliases()].find((name) => name.startsWith(typed)) ?? child.name(),
    );
}

function optionNames(command: Command): readonly string[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(
    ({ long, short }) => long ?? short ?? '',
  );
}
