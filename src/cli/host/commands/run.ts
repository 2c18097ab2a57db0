import { type Command, Option } from 'commander';
import type { CliPorts } from '../../terminal/ports.ts';
import type { RunOptions } from '../run/command.ts';

/** `run controller CONFIG` */
export function registerRunCommands(program: Command, ports: CliPorts): void {
  const run = program.command('run').description('run a service in the foreground');
  run
    .command('controller')
    .description('run the controller that CONFIG describes, until SIGTERM or SIGINT')
    .argument('<config>', 'configuration file')
    .option('--check', 'only check the configuration and the files it names, and explain what is wrong')
    .addOption(new Option('--log-format <format>', 'of the log on standard output').choices(['text', 'json']))
    .addHelpText(
      'after',
      '\nSIGHUP reads configuration and certificates again. Without a log format, log.format of the configuration decides.',
    )
    .action(async (config: string, options: RunOptions, command: Command) => {
      const { checkController, runControllerCommand } = await import('../run/command.ts');
      const json = command.optsWithGlobals().outputJson === true;
      if (options.check === true) await checkController({ ports, json }, config);
      else await runControllerCommand(ports, config, json ? { logFormat: 'json', ...options } : options);
    });
}
