import type { Command } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';

/** `ca verify NAME --cert FILE` */
export function registerCaCommands(program: Command, ports: CliPorts): void {
  const ca = program.command('ca').description('act on one third-party authority');
  const verify = serverOption(ca.command('verify').description('prove that you hold its key'));
  argumentCompletedBy(verify.argument('<name>', 'name or id of the authority'), { entity: 'ca' })
    .requiredOption(
      '--cert <file>',
      'a certificate that it issued, with its verification token as the common name',
    )
    .action(async (name: string, options: { server?: string; cert: string }, command: Command) => {
      const { verifyCa } = await import('../entities/ca-actions.ts');
      await verifyCa(reportOf(command, ports), name, options);
    });
}
