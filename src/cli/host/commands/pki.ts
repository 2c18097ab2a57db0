import { Argument, type Command, Option } from 'commander';
import { commandOf, yesOption } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption, runsOnHost } from '../host-command.ts';

/** `pki show|renew|rotate|trust`: the certificates of a controller. */
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

  const runRotate = runsOnHost(ports, () => import('../rotation/rotate-command.ts'));
  commandOf(
    pki,
    'rotate',
    'replace the root CA or the client CA, in steps: prepare the next one, --switch to it, --retire the previous one',
  )
    .addArgument(new Argument('<authority>', 'which one').choices(['root', 'client-ca']))
    .addOption(configOption())
    .addOption(
      new Option('--switch', 'sign by the next one from now on; both stay trusted').conflicts([
        'retire',
        'undo',
      ]),
    )
    .addOption(new Option('--retire', 'trust the previous one no longer').conflicts('undo'))
    .option('--undo', 'take back the last step')
    .addOption(
      new Option('--same-key', 'a new certificate for the same name and key').conflicts([
        'cert',
        ...laterSteps,
      ]),
    )
    .addOption(new Option('--cert <file>', 'an authority that was made elsewhere').conflicts(laterSteps))
    .addOption(new Option('--key <file>', 'its private key, PEM without a passphrase').conflicts(laterSteps))
    .option('--no-cross', 'make nothing by which clients that trust only one root accept the other')
    .option('--force', 'do it although something still depends on the present state')
    .addHelpText(
      'after',
      '\nWithout an option it makes the next authority, which is trusted and published beside the present one. A running controller applies each step after config reload or SIGHUP. Nodes say which authorities they trust: a step that would lock one out is refused.',
    )
    .action(runRotate('rotateAuthority'));

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

/** Options of the first step make no sense with these. */
const laterSteps = ['switch', 'retire', 'undo'];

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
