import { type Command, Option } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';

interface ServerOptions {
  readonly server?: string;
}

interface PolicyOptions extends ServerOptions {
  readonly method?: string;
  readonly policy?: string;
}

/** `explain REF`, `explain token FILE`, `explain policy IDENTITY` */
export function registerExplainCommand(program: Command, ports: CliPorts): void {
  const explain = program
    .command('explain')
    .description('say why a login was refused, whether a token is valid, or what an identity must prove');
  serverOption(explain)
    .argument('<reference>', 'reference id, as the refusal showed it')
    .action(async (reference: string, _options: unknown, command: Command) => {
      const { explainReference } = await import('../explain/explain-reference.ts');
      await explainReference(reportOf(command, ports), reference, serverOf(command));
    });

  serverOption(explain.command('token'))
    .description('decode an access or ID token, and say which check of the server fails')
    .argument('<file>', 'file with the token; - for standard input')
    .action(async (file: string, _options: unknown, command: Command) => {
      const { explainToken } = await import('../explain/explain-token.ts');
      await explainToken(reportOf(command, ports), file, serverOf(command));
    });

  const policy = serverOption(explain.command('policy'))
    .description('say what an identity must prove to log in, and what would stop it')
    .argument('<identity>', 'name or id of the identity')
    .addOption(new Option('--method <method>', 'only this one').choices(['password', 'cert', 'ext-jwt']))
    .option('--policy <file>', 'also what saving the auth policy in FILE would change; - for standard input');
  argumentCompletedBy(policy, { entity: 'identity' }).action(
    async (identity: string, options: PolicyOptions, command: Command) => {
      const { explainPolicy } = await import('../explain/explain-policy.ts');
      await explainPolicy(reportOf(command, ports), identity, { ...options, server: serverOf(command) });
    },
  );
}

/** `--server` may come before or after the name of the subcommand. */
function serverOf(command: Command): string | undefined {
  return command.optsWithGlobals<ServerOptions>().server;
}
