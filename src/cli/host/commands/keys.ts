import type { Command } from 'commander';
import { reportOf } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption } from '../config-option.ts';

interface KeyOptions {
  readonly config?: string;
  readonly now?: boolean;
}

/** `keys list|rotate`: the keys that sign tokens; `keys rekey`: the one that seals what is stored. */
export function registerKeyCommands(program: Command, ports: CliPorts): void {
  const keys = program.command('keys').description('the keys that sign tokens (on the host)');

  keys
    .command('list')
    .description('list the signing keys and the current use of each')
    .addOption(configOption())
    .action(async (options: KeyOptions, command: Command) => {
      const { listKeys } = await import('../key-commands.ts');
      await listKeys(reportOf(command, ports), options.config);
    });

  keys
    .command('rekey')
    .description('reseal all stored secrets under a new key-encryption key')
    .addOption(configOption())
    .addHelpText(
      'after',
      '\nWorks while controllers run; if it is stopped, run it again. On PostgreSQL it names the file to copy to the other hosts first.',
    )
    .action(async (options: KeyOptions, command: Command) => {
      const { rekey } = await import('../rekey-command.ts');
      await rekey(reportOf(command, ports), options.config);
    });

  keys
    .command('rotate')
    .description('make new signing keys; the old ones verify until their last token has expired')
    .addOption(configOption())
    .option('--now', 'sign with the new keys at once, not after verifiers had time to read them')
    .addHelpText(
      'after',
      '\nRunning controllers use the new keys without a restart. Keys also rotate automatically every 30 days.',
    )
    .action(async (options: KeyOptions, command: Command) => {
      const { rotateKeys } = await import('../key-commands.ts');
      await rotateKeys(reportOf(command, ports), options.config, options.now === true);
    });
}
