import type { Command } from 'commander';
import { commandOf } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `config validate|show|schema|reload`: what a configuration file says, and making a running controller use it. */
export function registerConfigCommands(program: Command, ports: CliPorts): void {
  const config = commandOf(program, 'config', 'check and explain configuration files');
  const run = runsOnHost(ports, () => import('../config-commands.ts'));
  const runTuning = runsOnHost(ports, () => import('../tune-hash.ts'));

  commandOf(config, 'validate', 'check FILE and the files it names; say what is wrong, with line and column')
    .argument('<file>', 'configuration file')
    .option('--send-test <address>', 'also send a mail to this address, by the mail server that FILE names')
    .action(run('validateConfig'));

  commandOf(config, 'show', 'print every effective setting')
    .argument('<file>', 'configuration file')
    .option('--origin', 'say where each value comes from')
    .action(run('showConfig'));

  commandOf(
    config,
    'tune-hash',
    'measure password hashes on this machine and propose edge.passwordHash for a wanted time',
  )
    .option('--time <duration>', 'how long one hash may take, such as 250ms', '100ms')
    .action(runTuning('tuneHash'));

  commandOf(
    config,
    'reload',
    'make the running controller read its configuration file again; say what changed',
  )
    .addOption(configOption())
    .action(run('reloadConfig'));

  commandOf(config, 'schema', 'print the JSON Schema of configuration files, for editors').action(
    run('printConfigSchema'),
  );
}
