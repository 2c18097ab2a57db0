import type { Command } from 'commander';
import type { CliPorts } from '../ports.ts';
import { reportOf, serverOption } from './report-of.ts';

/** `explain REF` */
export function registerExplainCommand(program: Command, ports: CliPorts): void {
  serverOption(program.command('explain'))
    .description('say why the login with this reference id was refused')
    .argument('<reference>', 'as the refusal showed it')
    .action(async (reference: string, options: { server?: string }, command: Command) => {
      const { explainReference } = await import('../explain/explain-reference.ts');
      await explainReference(reportOf(command, ports), reference, options.server);
    });
}
