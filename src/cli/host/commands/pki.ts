import { type Command, Option } from 'commander';
import { commandOf, yesOption } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `pki show|renew|trust`: the certificates of a controller. */
export function registerPkiCommands(program: Command, ports: CliPorts): void {
  const pki = commandOf(program, 'pki', 'the certificates of a controller (on the host)');
  const run = runsOnHost(ports, () => import('../pki-commands.ts'));
  const runTrust = runsOnHost(ports, () => import('../trust/run-trust.ts'));

  commandOf(pki, 'show', 'show the certificates that the configuration names, and when they expire')
    .addOption(configOption())
    .action(run('showPki'));

  commandOf(
    pki,
    'renew',
    "make a new server certificate, signed by the home's own root CA, for the same names and key",
  )
    .addOption(configOption())
    .option('--dns <name...>', 'also for this DNS name')
    .option('--ip <address...>', 'also for this IP address')
    .option('--new-key', 'with a new key; enrollment JWTs that were handed out no longer fit')
    .addHelpText(
      'after',
      '\nA running controller renews it by itself 30 days before its end, if it can read the key of the root CA, and presents one renewed by hand after config reload or SIGHUP.',
    )
    .action(run('renewPki'));

  commandOf(pki, 'trust', 'make browsers and the system of this computer trust the authority of a home')
    .argument(
      '[file]',
      "certificate of another authority, such as a copy of another home's pki/root-ca.cert.pem",
    )
    .addOption(configOption())
    .addOption(new Option('--only <kind>', 'only there').choices(['browser', 'system']))
    .option('--undo', 'stop trusting it')
    .option('--dry-run', 'only show what would be run')
    .addOption(yesOption())
    .addHelpText(
      'after',
      '\nRun it as yourself: it changes the browsers of the user, and prints what root has to type for the system.',
    )
    .action(runTrust('trustAuthority'));
}

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
