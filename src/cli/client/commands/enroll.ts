import type { Command } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { EnrollOptions } from '../enroll/run-enroll.ts';
import type { RefreshOptions } from '../entities/enrollment-actions.ts';

/** `enroll FILE` and `enrollment refresh NAME` */
export function registerEnrollCommands(program: Command, ports: CliPorts): void {
  program
    .command('enroll')
    .description('use a JWT that an administrator gave you, to be able to log in')
    .argument('<file>', 'the JWT; - for standard input')
    .option('-o, --output <file>', 'where the identity is written (default: the name of the JWT, as .json)')
    .option('-c, --cert <file>', 'for a JWT of a third-party CA: your certificate, with its chain')
    .option('-k, --key <file>', 'for a JWT of a third-party CA: its private key')
    .option('--password-stdin', 'for a JWT of a user name: read the password from standard input')
    .option('--password-file <file>', 'for a JWT of a user name: read the password from FILE')
    .action(async (file: string, options: EnrollOptions, command: Command) => {
      const { enroll } = await import('../enroll/run-enroll.ts');
      await enroll(reportOf(command, ports), file, options);
    });

  const enrollment = program
    .command('enrollment')
    .description('act on one enrollment')
    .helpGroup('Administer a running service:');
  const refresh = serverOption(
    enrollment.command('refresh').description('give it a new token and a new expiry'),
  );
  argumentCompletedBy(refresh.argument('<name>', 'name of the identity, or id of the enrollment'), {
    entity: 'enrollment',
  })
    .option('--expires-at <time>', 'such as 2030-01-31T12:00:00Z (default: as configured)')
    .option('-o, --output-jwt <file>', 'write the new JWT for the device to FILE')
    .action(async (name: string, options: RefreshOptions, command: Command) => {
      const { refreshEnrollment } = await import('../entities/enrollment-actions.ts');
      await refreshEnrollment(reportOf(command, ports), name, options);
    });
}
