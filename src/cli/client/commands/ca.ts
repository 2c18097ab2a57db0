import type { Command } from 'commander';
import { commandOf, runs } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { named } from '../command.ts';

/** `ca verify NAME --cert FILE` */
export function registerCaCommands(program: Command, ports: CliPorts): void {
  const ca = commandOf(program, 'ca', 'act on one third-party authority');
  named(commandOf(ca, 'verify', 'prove that you hold its key'), 'ca', 'authority')
    .requiredOption(
      '--cert <file>',
      'a certificate that it issued, with its verification token as the common name',
    )
    .action(runs(ports, () => import('../entities/ca-actions.ts'))('verifyCa'));
}
