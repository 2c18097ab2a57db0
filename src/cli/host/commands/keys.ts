import type { Command } from 'commander';
import { commandOf } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `keys list|rotate`: the keys that sign tokens; `keys rekey`: the one that seals what is stored. */
export function registerKeyCommands(program: Command, ports: CliPorts): void {
  const keys = commandOf(program, 'keys', 'the keys that sign tokens (on the host)');
  const run = runsOnHost(ports, () => import('../key-commands.ts'));
  const runRekey = runsOnHost(ports, () => import('../rekey-command.ts'));

  commandOf(keys, 'list', 'list the signing keys and the current use of each')
    .addOption(configOption())
    .action(run('listKeys'));

  commandOf(keys, 'rekey', 'reseal all stored secrets under a new key-encryption key')
    .addOption(configOption())
    .addHelpText(
      'after',
      '\nWorks while controllers run; if it is stopped, run it again. On PostgreSQL it names the file to copy to the other hosts first.',
    )
    .action(runRekey('rekey'));

  commandOf(keys, 'rotate', 'make new signing keys; the old ones verify until their last token has expired')
    .addOption(configOption())
    .option('--now', 'sign with the new keys at once, not after verifiers had time to read them')
    .addHelpText(
      'after',
      '\nRunning controllers use the new keys without a restart. Keys also rotate automatically every 30 days.',
    )
    .action(run('rotateKeys'));
}
