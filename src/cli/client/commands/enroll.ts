import type { Command } from 'commander';
import { commandOf, runs, withPassword } from '../../terminal/command.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { serverOption } from '../command.ts';

/** `enroll FILE` and `enrollment refresh NAME` */
export function registerEnrollCommands(program: Command, ports: CliPorts): void {
  const enroll = commandOf(
    program,
    'enroll',
    'use a JWT that an administrator gave you, to be able to log in',
  )
    .argument('<file>', 'the JWT; - for standard input')
    .option('-o, --output <file>', 'where the identity is written (default: the name of the JWT, as .json)')
    .option('-c, --cert <file>', 'for a JWT of a third-party CA: your certificate, with its chain')
    .option('-k, --key <file>', 'for a JWT of a third-party CA: its private key');
  withPassword(enroll, 'for a JWT of a user name: read the password').action(
    runs(ports, () => import('../enroll/run-enroll.ts'))('enroll'),
  );

  const enrollment = commandOf(program, 'enrollment', 'act on one enrollment');
  enrollment.helpGroup('Administer a running service:');
  const refresh = serverOption(commandOf(enrollment, 'refresh', 'give it a new token and a new expiry'));
  argumentCompletedBy(refresh.argument('<name>', 'name of the identity, or id of the enrollment'), {
    entity: 'enrollment',
  })
    .option('--expires-at <time>', 'such as 2030-01-31T12:00:00Z (default: as configured)')
    .option('-o, --output-jwt <file>', 'write the new JWT for the device to FILE')
    .action(runs(ports, () => import('../entities/enrollment-actions.ts'))('refreshEnrollment'));
}
