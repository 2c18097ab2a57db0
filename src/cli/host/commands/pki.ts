import { type Command, Option } from 'commander';
import { reportOf, yesOption } from '../../terminal/command-options.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { configOption } from '../config-option.ts';
import type { TrustOptions } from '../trust/run-trust.ts';

interface PkiOptions {
  readonly config?: string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
}

/** `pki show|renew|trust`: the certificates of a controller. */
export function registerPkiCommands(program: Command, ports: CliPorts): void {
  const pki = program.command('pki').description('the certificates of a controller (on the host)');

  pki
    .command('show')
    .description('show the certificates that the configuration names, and when they expire')
    .addOption(configOption())
    .action(async (options: PkiOptions, command: Command) => {
      const { showPki } = await import('../pki-commands.ts');
      await showPki(reportOf(command, ports), options.config);
    });

  pki
    .command('renew')
    .description("make a new server certificate, signed by the home's own root CA, for the same names")
    .addOption(configOption())
    .option('--dns <name...>', 'also for this DNS name')
    .option('--ip <address...>', 'also for this IP address')
    .addHelpText('after', '\nA running controller presents it after config reload, or SIGHUP.')
    .action(async (options: PkiOptions, command: Command) => {
      const { renewPki } = await import('../pki-commands.ts');
      const more = [...(options.dns ?? []), ...(options.ip ?? [])];
      await renewPki(reportOf(command, ports), options.config, more);
    });

  pki
    .command('trust')
    .description('make browsers and the system of this computer trust the authority of a home')
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
    .action(async (file: string | undefined, options: TrustOptions, command: Command) => {
      const { trustAuthority } = await import('../trust/run-trust.ts');
      await trustAuthority(reportOf(command, ports), file, options);
    });
}
