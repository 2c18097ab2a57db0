import type { Command } from 'commander';
import { reportOf } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption } from '../config-option.ts';

/** `config validate|show|schema|reload`: what a configuration file says, and making a running controller use it. */
export function registerConfigCommands(program: Command, ports: CliPorts): void {
  const config = program.command('config').description('check and explain configuration files');

  config
    .command('validate')
    .description('check FILE and the files it names; say what is wrong, with line and column')
    .argument('<file>', 'configuration file')
    .action(async (file: string, _options: unknown, command: Command) => {
      const { validateConfig } = await import('../config-commands.ts');
      await validateConfig(reportOf(command, ports), file);
    });

  config
    .command('show')
    .description('print every effective setting')
    .argument('<file>', 'configuration file')
    .option('--origin', 'say where each value comes from')
    .action(async (file: string, options: { origin?: boolean }, command: Command) => {
      const { showConfig } = await import('../config-commands.ts');
      await showConfig(reportOf(command, ports), file, options.origin === true);
    });

  config
    .command('tune-hash')
    .description('measure password hashes on this machine and propose edge.passwordHash for a wanted time')
    .option('--time <duration>', 'how long one hash may take, such as 250ms', '100ms')
    .action(async ({ time }: { time: string }, command: Command) => {
      const { tuneHash } = await import('../tune-hash.ts');
      await tuneHash(reportOf(command, ports), time);
    });

  config
    .command('reload')
    .description('make the running controller read its configuration file again; say what changed')
    .addOption(configOption())
    .action(async (options: { config?: string }, command: Command) => {
      const { reloadConfig } = await import('../config-reload.ts');
      await reloadConfig(reportOf(command, ports), options.config);
    });

  config
    .command('schema')
    .description('print the JSON Schema of configuration files, for editors')
    .action(async () => {
      const { printConfigSchema } = await import('../config-commands.ts');
      printConfigSchema(ports);
    });
}
