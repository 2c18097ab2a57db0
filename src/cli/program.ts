// cli/ contains what people and scripts type: commands on the host, and the client of a running server. Starting must be
// quick, so this file and the files of commands/ only describe the commands; what a command does is imported when it runs.
//
// To add a group: write host/commands/<group>.ts or client/commands/<group>.ts with one `register…(program, ports)`
// function and list it below.
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import {
  registerCaCommands,
  registerEventSubscriptionCommands,
  registerIdentityCommands,
  registerInviteCommand,
  registerOidcClientCommands,
} from './client/commands/actions.ts';
import { registerEntityCommands } from './client/commands/entities.ts';
import { registerExplainCommand, registerVerifyCommand } from './client/commands/explain.ts';
import { registerEnrollCommands, registerSessionCommands } from './client/commands/session.ts';
import { registerStateCommands } from './client/commands/state.ts';
import { registerCompletionCommand, registerVersionCommand } from './commands/completion.ts';
import { registerStatusCommand } from './commands/status.ts';
import { examplesOf } from './examples.ts';
import { registerAdminCommands } from './host/commands/admin.ts';
import { registerConfigCommands } from './host/commands/config.ts';
import { registerOpsCommands } from './host/commands/ops.ts';
import { registerKeyCommands, registerPkiCommands } from './host/commands/pki.ts';
import { registerRunCommands, registerSetupCommands } from './host/commands/setup.ts';
import { type ExitCode, exitCodes, reportFailure } from './terminal/output.ts';
import type { CliPorts } from './terminal/ports.ts';
import { helpCommand, refuseUnknownChoices, usageFailure } from './usage-failure.ts';

type Registration = (program: Command, ports: CliPorts) => void;

const lastHeading = 'The command line itself:';

/** The command groups under their headings, in the order of the help. */
const registrations: readonly (readonly [heading: string, ...groups: Registration[]])[] = [
  ['Set up and run:', registerSetupCommands, registerRunCommands],
  ['You:', registerSessionCommands, registerEnrollCommands],
  [
    'Administer a running service:',
    registerEntityCommands,
    registerIdentityCommands,
    registerInviteCommand,
    registerCaCommands,
    registerStateCommands,
    registerOidcClientCommands,
    registerEventSubscriptionCommands,
  ],
  ['Find out:', registerStatusCommand, registerExplainCommand, registerVerifyCommand],
  [
    'On the host, without logging in:',
    registerAdminCommands,
    registerConfigCommands,
    registerKeyCommands,
    registerPkiCommands,
    registerOpsCommands,
  ],
  [lastHeading, registerCompletionCommand, registerVersionCommand],
];

/** The whole command line, ready to parse. */
export function createProgram(ports: CliPorts): Command {
  const program = new Command('overlay-auth');
  program
    .description('Authentication service for an overlay network controller.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .option('-j, --output-json', 'print results and errors as JSON')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
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
  for (const [heading, ...groups] of registrations) {
    program.commandsGroup(heading);
    for (const register of groups) register(program, ports);
  }
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

/**
 * Runs one command line, reports its failure if there is one, and returns the exit code.
 * @param argv what follows the program's name
 */
export async function runProgram(argv: readonly string[], ports: CliPorts): Promise<ExitCode> {
  // People who are used to it type `edge` first.
  const typed = argv[0] === 'edge' ? argv.slice(1) : argv;
  // Makes `help get identity` explain that very command.
  const words = typed[0] === 'help' && typed.length > 1 ? [...typed.slice(1), '--help'] : typed;
  const program = createProgram(ports);
  const json = wantsJson(words);
  try {
    if (words.length === 0) {
      ports.stderr.write(program.helpInformation());
      return exitCodes.usage;
    }
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.fine;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.fine;
    const failure = error instanceof CommanderError ? usageFailure(program, words, error) : error;
    return reportFailure({ ports, json, helpCommand: helpCommand(program, words) }, failure);
  }
}

/** Whether the caller reads JSON: failures are then JSON too, including those of the command line. */
function wantsJson(words: readonly string[]): boolean {
  if (words.some((word) => word === '-j' || word === '--output-json' || word === '--json')) return true;
  return words.some(
    (word, at) => word === '--log-format=json' || (word === '--log-format' && words[at + 1] === 'json'),
  );
}
