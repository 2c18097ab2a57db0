import { type Command, Option } from 'commander';
import { commandOf } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { runsOnHost } from '../host-command.ts';

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
