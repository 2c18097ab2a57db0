// Commands are rows of tables: the words to type, and the function that they run, which is loaded only then.

import { Argument, type Command, Option } from 'commander';
import { type Report, usageError } from './output.ts';
import type { CliPorts } from './ports.ts';

/** The work of a command: with its options, by camel-cased name, and its arguments. */
export type Work<Options = never, Args = never> = (
  report: Report,
  options: Options,
  args: Args,
) => Promise<void>;

/** Options that take a text, by camel-cased name. */
export type Texts<Name extends string> = { readonly [Of in Name]?: string };

/** Options that are on or off. */
export type Flags<Name extends string> = { readonly [Of in Name]?: boolean };

/** An argument or an option about which more is known than what the help says. */
interface Details {
  readonly help: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Only of an option: it has to be typed. */
  readonly isRequired?: boolean;
  /** Only of an option: it may be repeated. */
  readonly isMany?: boolean;
  /** Only of an option: several values with commas between them. Typed again, it adds others. */
  readonly isList?: boolean;
  /** Only of an option: others, by camel-cased name, that make no sense with it. */
  readonly conflicts?: readonly string[];
  /** Only of an option: others, of which one has to be given with it. */
  readonly needs?: readonly string[];
  readonly parse?: (text: string) => unknown;
  readonly completedBy?: Hint;
}

/** By spelling: `<name>` and `[name]` for an argument, `-o, --output <file>` for an option. */
export type Typed = Readonly<Record<string, string | Details>>;

export interface CommandRow {
  readonly help: string;
  readonly aliases?: readonly string[];
  readonly typed?: Typed;
  /** Said below the options. */
  readonly after?: string;
  /** Absent: a group of commands. */
  readonly run?: () => Promise<Work>;
}

/** By what is typed after the program's name: `keys list`. */
export type Commands = Readonly<Record<string, CommandRow>>;

type WorkOf<Module> = { [Name in keyof Module]: Module[Name] extends Work ? Name : never }[keyof Module];

/**
 * Makes rows for the functions of a module. A row is a text like the help of the command: what it does, a line for each
 * argument and option, and what is said below them. Values in the text are arguments and options too.
 * @param always typed for each of them, first
 */
export function from<Module>(load: () => Promise<Module>, always: Typed = {}) {
  return (name: WorkOf<Module>) =>
    (texts: TemplateStringsArray, ...values: readonly Typed[]): CommandRow => {
      const typed: Record<string, string | Details> = { ...always };
      const sentences: string[] = [];
      for (const [at, text] of texts.entries()) {
        for (const line of text.split('\n').map((one) => one.trim())) {
          const [, spelling, said] = /^([-<[].*?) {2,}(.+)$/.exec(line) ?? [];
          if (spelling !== undefined && said !== undefined) typed[spelling] = said;
          else if (/^[-<[]/.test(line)) throw new Error(`no help of ${line}`);
          else if (line !== '') sentences.push(line);
        }
        Object.assign(typed, values[at]);
      }
      const [help = '', ...after] = sentences;
      const run = async () => (await load())[name] as Work;
      return { help, typed, run, ...(after.length > 0 && { after: after.join('\n') }) };
    };
}

/** `--yes`, for commands that ask at a terminal before they do something irreversible. */
export const yes: Typed = { '-y, --yes': 'do not ask' };

/** `--password-stdin` and `--password-file`. @param words which password, and when it is read */
export function password(
  words = 'read the password',
  { needs = [], conflicts = [] }: Pick<Details, 'needs' | 'conflicts'> = {},
): Typed {
  return {
    '--password-stdin': {
      help: `${words} from standard input`,
      needs,
      conflicts: ['passwordFile', ...conflicts],
    },
    '--password-file <file>': { help: `${words} from FILE`, needs, conflicts },
  };
}

/** Adds a command below its group, or below the program. */
export function addCommand(root: Command, ports: CliPorts, [path, row]: readonly [string, CommandRow]): void {
  const words = path.split(' ');
  const above = words.slice(0, -1).reduce((group, word) => {
    return group.commands.find((one) => one.name() === word) ?? group;
  }, root);
  const command = above.command(words.at(-1) ?? '').description(row.help);
  command.aliases([...(row.aliases ?? [])]);
  const rules: Rules = new Map();
  for (const [spelling, said] of Object.entries(row.typed ?? {})) {
    const details = typeof said === 'string' ? { help: said } : said;
    if (spelling.startsWith('-')) {
      const option = optionOf(spelling, details);
      command.addOption(option);
      rules.set(option, details);
    } else command.addArgument(detailed(new Argument(spelling, details.help), details));
  }
  if (row.after !== undefined) command.addHelpText('after', `\n${row.after}`);
  const { run } = row;
  if (run === undefined) return;
  // An option may stand before the name of a subcommand or after it.
  command.action(async () => {
    requireOwn(command);
    requireFitting(command, rules);
    const work = await run();
    const options = command.optsWithGlobals();
    const report: Report = {
      ports,
      json: options.outputJson === true,
      command: path,
      ...selectedBy(command),
    };
    // Sound because the row that names the command says what can be typed.
    await work(report, options as never, command.processedArgs as never);
  });
}

/** The server or the controller that a command line names. */
export function selectedBy(command: Command): Pick<Report, 'server' | 'config'> {
  const { server, config } = command.opts();
  const [argument] = command.registeredArguments;
  return { server, config: config ?? (argument?.name() === 'config' ? command.args[0] : undefined) };
}

/** These options mean the same wherever a command has them, so people type them before it too. */
const sharedOption = /^--(?:server|config)(=|$)/;

/** The words with such options after those of the command: `--server ada identity unlock bob`. */
export function sharedOptionsLast(program: Command, words: readonly string[]): readonly string[] {
  const names: string[] = [];
  const moved: string[] = [];
  let command: Command | undefined = program;
  let at = 0;
  while (at < words.length && command !== undefined && command.commands.length > 0) {
    const word: string = words[at] ?? '';
    const equals = sharedOption.exec(word)?.[1];
    const next: number = at + (equals === '' ? 2 : 1);
    (equals === undefined ? names : moved).push(...words.slice(at, next));
    if (!word.startsWith('-'))
      command = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    at = next;
  }
  return [...names, ...moved, ...words.slice(at)];
}

/** @throws CliError exit 2: an option of the command above it was given, which this one would not look at */
function requireOwn(command: Command): void {
  const { parent } = command;
  // Those of the program itself are for every command.
  if (!parent?.parent) return;
  const known = new Set(command.options.map((one) => one.attributeName()));
  const other = parent.options.find((one) => {
    const name = one.attributeName();
    return !known.has(name) && parent.getOptionValueSource(name) === 'cli';
  });
  if (other !== undefined) throw usageError(`Unknown option '${other.long}'.`);
}

type Rules = Map<Option, Pick<Details, 'needs' | 'conflicts'>>;

/** @throws CliError exit 2: options that were given exclude each other, or one needs another */
function requireFitting(command: Command, rules: Rules): void {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  const spelled = (name: string) => command.options.find((one) => one.attributeName() === name)?.long;
  for (const [option, { needs = [], conflicts = [] }] of rules) {
    if (!isGiven(option.attributeName())) continue;
    const other = conflicts.find(isGiven);
    if (other !== undefined) throw usageError(`${option.long} and ${spelled(other)} exclude each other.`);
    if (needs.length > 0 && !needs.some(isGiven))
      throw usageError(`${option.long} needs ${needs.map(spelled).join(' or ')}.`);
  }
}

function optionOf(spelling: string, details: Details): Option {
  const { help, isMany, isList, isRequired = false } = details;
  const option = detailed(new Option(spelling, help), details);
  if (isMany) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  if (isList) option.argParser((text: string, before?: string) => [before ?? [], text].flat().join(','));
  return option.makeOptionMandatory(isRequired);
}

function detailed<What extends Argument | Option>(what: What, details: Details): What {
  const { choices, default: usual, parse, completedBy: hint } = details;
  if (choices !== undefined) what.choices(choices);
  if (usual !== undefined) what.default(usual);
  if (parse !== undefined) what.argParser(parse);
  return hint === undefined ? what : completedBy(what, hint);
}

/** The kind of an argument's or option's value, if its choices or its placeholder do not say it. */
type Hint =
  | (({ readonly entity: string } | { readonly among: readonly string[] }) & {
      /** Several, separated by commas. */
      readonly isList?: boolean;
    })
  | 'login';

const hints = new WeakMap<Argument | Option, Hint>();

/** Records what completes `what`. Returns `what`. */
export function completedBy<T extends Argument | Option>(what: T, hint: Hint): T {
  hints.set(what, hint);
  return what;
}

export function hintOf(what: Argument | Option): Hint | undefined {
  return hints.get(what);
}
