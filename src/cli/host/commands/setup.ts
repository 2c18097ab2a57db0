import { type Command, Option } from 'commander';
import { commandOf } from '../../terminal/command.ts';
import { usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { runsOnHost } from '../host-command.ts';

/** `quickstart` and `init`: from nothing to a controller. */
export function registerSetupCommands(program: Command, ports: CliPorts): void {
  commandOf(program, 'quickstart', 'set up what is missing and run a controller on this machine')
    .option(
      '--home <dir>',
      'where keys, database and configuration are (default: $OVERLAY_AUTH_HOME or ./.overlay)',
    )
    .option('--port <port>', 'port of a new home (default: 1280)', portNumber)
    .option('--ephemeral', 'use a home that is discarded at the end')
    .option('--json', 'print one JSON object a line, as when the output is not a terminal')
    .action(runsOnHost(ports, () => import('../quickstart/quickstart.ts'))('quickstart'));

  commandOf(program, 'init', 'set up a controller without running it')
    .requiredOption('--home <dir>', 'folder to create: keys, certificates, database and controller.yml')
    .option('--address <host:port>', 'what clients dial', 'localhost:1280')
    .option('--dns <name...>', 'further DNS names of the server certificate')
    .option('--ip <address...>', 'further IP addresses of the server certificate')
    .option(
      '--db <url>',
      'sqlite:FILE, relative to the folder, or postgres://USER@HOST/NAME',
      'sqlite:./overlay.db',
    )
    .option('--admin <name>', 'create this administrator at once; needs --admin-password-file')
    .option('--admin-password-file <file>', 'contains the password of the administrator')
    .option('--yes', 'do not ask')
    .action(runsOnHost(ports, () => import('../setup/init.ts'))('init'));
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw usageError(`${JSON.stringify(text)} is not a port number.`, 'overlay-auth quickstart --help');
}

/** `run controller CONFIG` */
export function registerRunCommands(program: Command, ports: CliPorts): void {
  const run = commandOf(program, 'run', 'run a service in the foreground');
  commandOf(run, 'controller', 'run the controller that CONFIG describes, until SIGTERM or SIGINT')
    .argument('<config>', 'configuration file')
    .option('--check', 'only check the configuration and the files it names, and explain what is wrong')
    .addOption(new Option('--log-format <format>', 'of the log on standard output').choices(['text', 'json']))
    .addHelpText(
      'after',
      '\nSIGHUP reads configuration and certificates again. Without a log format, log.format of the configuration decides.',
    )
    .action(runsOnHost(ports, () => import('../run/command.ts'))('runControllerCommand'));
}
