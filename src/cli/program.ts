// cli/ contains what people and scripts type: commands on the host, and the client of a running server. Starting must be
// quick, so this file and the tables of commands only say what can be typed; what a command does is imported when it runs.
//
// To add a command: add a row to host/commands.ts or client/commands.ts and, if it is below none, its name to a heading.
import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError, type Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { nearestKey } from '../config/nearest-key.ts';
import { clientCommands } from './client/commands.ts';
import { hostCommands } from './host/commands.ts';
import { addCompletionRequest, ownCommands } from './own-commands.ts';
import { addCommand, type Commands, selectedBy, sharedOptionsLast } from './terminal/command.ts';
import { type CliError, type ExitCode, exitCodes, reportFailure, usageError } from './terminal/output.ts';
import type { CliPorts } from './terminal/ports.ts';

const commands: Commands = { ...hostCommands, ...clientCommands, ...ownCommands };

const lastHeading = 'The command line itself:';

/** The commands and groups under their headings, in the order of the help. */
const headings: readonly (readonly [heading: string, ...names: string[]])[] = [
  ['Set up and run:', 'quickstart', 'init', 'run'],
  ['You:', 'login', 'logout', 'whoami', 'password', 'token', 'enroll'],
  [
    'Administer a running service:',
    ...[
      'enrollment',
      'create',
      'get',
      'list',
      'update',
      'delete',
      'identity',
      'invite',
      'ca',
      'export',
      'apply',
    ],
    ...['oidc-client', 'event-subscription'],
  ],
  ['Find out:', 'status', 'explain', 'verify'],
  ['On the host, without logging in:', 'admin', 'config', 'keys', 'pki', 'ops'],
  [lastHeading, 'completion', 'version'],
];

/** The whole command line, ready to parse. */
export function createProgram(ports: CliPorts): Command {
  const program = new Command('overlay-auth');
  program
    .description('Authentication service for an overlay network controller.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .option('-j, --output-json', 'print results and errors as JSON')
    .helpOption('-h, --help', 'show help')
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (shown) => (shown === program ? [] : [...program.options]),
    })
    .configureOutput({
      writeOut: (text) => ports.stdout.write(text),
      // runProgram reports usage errors in the same form as all others.
      writeErr: () => undefined,
    })
    .exitOverride();
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show help')
      .helpOption(false)
      .helpGroup(lastHeading),
  );
  for (const [heading, ...names] of headings) {
    program.commandsGroup(heading);
    for (const name of names) {
      const rows = Object.entries(commands).filter(([path]) => `${path} `.startsWith(`${name} `));
      for (const row of rows) addCommand(program, ports, row);
    }
  }
  addCompletionRequest(program, ports);
  for (const command of program.commands) addExamples(command, ['']);
  refuseUnknownChoices(program);
  return program;
}

/** @param parents how to type the command above it; empty at the top */
function addExamples(command: Command, parents: readonly string[]): void {
  const names = [command.name(), ...command.aliases()];
  const paths = parents.flatMap((parent) => names.map((name) => `${parent} ${name}`.trim()));
  // Only readers of the help pay for it.
  command.addHelpText('after', () => {
    const lines = examplesOf(paths).map((line) => `  overlay-auth ${line}`);
    return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
  });
  for (const child of command.commands) addExamples(child, paths);
}

const document = new URL('../../docs/command-line.md', import.meta.url);
const mostShown = 4;

/**
 * The examples for a command and the commands below it, which its help shows.
 * @param paths the ways to type it, with each alias: `list identity`, `list identities`
 */
function examplesOf(paths: readonly string[]): readonly string[] {
  const fits = (line: string) => paths.some((path) => line === path || line.startsWith(`${path} `));
  return examples().filter(fits).slice(0, mostShown);
}

/** The command lines of "Every command" in docs/command-line.md, without the program's name; none without the document. */
export function examples(): readonly string[] {
  const text = existsSync(document) ? readFileSync(document, 'utf8') : '';
  const part = text.slice(text.indexOf('## Every command'), text.indexOf('## Logging in'));
  const lines = [...part.matchAll(/^overlay-auth (.+)$/gm)].map(([, line = '']) =>
    line.replace(/ +#.*$/, '').replace(/ > \S+$/, ''),
  );
  return [...new Set(lines)];
}

/**
 * Runs one command line, reports its failure if there is one, and returns the exit code.
 * @param argv what follows the program's name
 */
export async function runProgram(argv: readonly string[], ports: CliPorts): Promise<ExitCode> {
  const program = createProgram(ports);
  const typed = sharedOptionsLast(program, otherWords(argv));
  // Makes `help get identity` explain that very command.
  const topic = typed[0] === 'help' ? otherWords(typed.slice(1)) : [];
  const words = topic.length > 0 ? [...topic, '--help'] : typed;
  const json = wantsJson(words);
  try {
    if (words.length === 0) {
      ports.stderr.write(program.helpInformation());
      return exitCodes.usage;
    }
    refuseUnknownTopic(program, topic);
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.fine;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.fine;
    const failure = error instanceof CommanderError ? usageFailure(program, words, error) : error;
    const command = deepestCommand(program, words);
    return reportFailure({ ports, json, ...selectedBy(command), helpCommand: helpOf(command) }, failure);
  }
}

/** The parser would show the help of the command above it, and end well. */
function refuseUnknownTopic(program: Command, topic: readonly string[]): void {
  const words = topic.filter((word) => !word.startsWith('-'));
  const command = deepestCommand(program, words);
  const next = words[pathOf(command).split(' ').length - pathOf(program).split(' ').length];
  if (next !== undefined && command.commands.length > 0 && command.registeredArguments.length === 0)
    throw usageError(unknown('command', next, commandsOf(command)));
}

/** Other ways to type a command: `edge` first, as people are used to, and `import identities FILE`. */
function otherWords(words: readonly string[]): readonly string[] {
  const [first, second = '', ...others] = words;
  if (first === 'edge') return otherWords(words.slice(1));
  if (first === 'import' && /^identit(y|ies)$/.test(second)) return ['identity', 'import', ...others];
  return words;
}

/** Whether the caller reads JSON: failures are then JSON too, including those of the command line. */
function wantsJson(words: readonly string[]): boolean {
  if (words.some((word) => word === '-j' || word === '--output-json' || word === '--json')) return true;
  return words.some(
    (word, at) => word === '--log-format=json' || (word === '--log-format' && words[at + 1] === 'json'),
  );
}

// Describes in one sentence the mistake in a command line. The parser reports what it found as a code; the words
// come from what it has read and from the existing commands.

/** For a failure of the parser. @param words what was typed after the program's name */
function usageFailure(program: Command, words: readonly string[], error: CommanderError): CliError {
  return usageError(sentence(deepestCommand(program, words), words, error));
}

/** Makes every option and argument with choices refuse other values with our own sentence. */
function refuseUnknownChoices(command: Command): void {
  for (const one of [...command.options, ...command.registeredArguments]) {
    const { argChoices: choices, parseArg: read } = one;
    if (choices === undefined) continue;
    const place = 'flags' in one ? ` for ${nameOf(one)}` : '';
    one.argParser((value: string, before: unknown) => {
      if (choices.includes(value)) return read === undefined ? value : read(value, before as never);
      throw usageError(`Invalid value '${value}'${place}; choose one of: ${choices.join(', ')}.`);
    });
  }
  for (const child of command.commands) refuseUnknownChoices(child);
}

function sentence(command: Command, words: readonly string[], { code, message }: CommanderError): string {
  const { args, registeredArguments } = command;
  switch (code) {
    case 'commander.help':
      return `"${pathOf(command)}" needs a subcommand.`;
    case 'commander.unknownCommand':
      return unknown('command', args[0] ?? '', commandsOf(command));
    case 'commander.unknownOption': {
      return unknown('option', flagTyped(command) ?? '', flagsOf(command));
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
      const misspelt = args.find((word) => word.startsWith('-'));
      if (misspelt !== undefined) return unknown('option', misspelt, flagsOf(command));
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
  const meant = nearestKey(typed, known) ?? known.find((name) => name.endsWith(typed.replace(/^--/, '-')));
  return `Unknown ${what} '${typed}'${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
}

/** The first word like an option that the parser left over, for this command or for one above it: `--foo whoami`. */
function flagTyped({ args, parent }: Command): string | undefined {
  return args.find((word) => word.startsWith('-')) ?? (parent === null ? undefined : flagTyped(parent));
}

function commandsOf(command: Command): readonly string[] {
  return command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
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

/** The typed command, or the nearest one above it. */
function deepestCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) break;
    command = next;
  }
  return command;
}
