import type { Command } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';

/** `verify ext-jwt-signer NAME FILE` */
export function registerVerifyCommand(program: Command, ports: CliPorts): void {
  const verify = program.command('verify').description('try something that logins depend on');
  const signer = serverOption(verify.command('ext-jwt-signer'))
    .description('say whether a token of a signer would be accepted, for whom, and if not, why')
    .argument('<name>', 'name or id of the signer');
  argumentCompletedBy(signer, { entity: 'ext-jwt-signer' })
    .argument('<file>', 'file with a token of its provider; - for standard input')
    .action(async (name: string, file: string, options: { server?: string }) => {
      const { verifySigner } = await import('../entities/verify-signer.ts');
      await verifySigner(reportOf(signer, ports), name, { file, server: options.server });
    });
}
