import type { Command } from 'commander';
import { commandOf, runs } from '../../terminal/command.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { named } from '../command.ts';

/** `verify ext-jwt-signer NAME FILE` */
export function registerVerifyCommand(program: Command, ports: CliPorts): void {
  const verify = commandOf(program, 'verify', 'try something that logins depend on');
  const signer = commandOf(
    verify,
    'ext-jwt-signer',
    'say whether a token of a signer would be accepted, for whom, and if not, why',
  );
  named(signer, 'ext-jwt-signer', 'signer')
    .argument('<file>', 'file with a token of its provider; - for standard input')
    .action(runs(ports, () => import('../entities/verify-signer.ts'))('verifySigner'));
}
