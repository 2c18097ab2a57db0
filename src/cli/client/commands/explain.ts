import { type Command, Option } from 'commander';
import { primaryMethods } from '../../../model/login.ts';
import { commandOf, runs } from '../../terminal/command.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { named, serverOption } from '../command.ts';

/** `explain REF`, `explain token FILE`, `explain policy IDENTITY` */
export function registerExplainCommand(program: Command, ports: CliPorts): void {
  const explain = commandOf(
    program,
    'explain',
    'say why a login was refused, whether a token is valid, or what an identity must prove',
  );
  serverOption(explain)
    .argument('<reference>', 'reference id, as the refusal showed it')
    .action(runs(ports, () => import('../explain/explain-reference.ts'))('explainReference'));

  serverOption(explain.command('token'))
    .description('decode an access or ID token, and say which check of the server fails')
    .argument('<file>', 'file with the token; - for standard input')
    .action(runs(ports, () => import('../explain/explain-token.ts'))('explainToken'));

  const policy = serverOption(explain.command('policy'))
    .description('say what an identity must prove to log in, and what would stop it')
    .argument('<identity>', 'name or id of the identity')
    .addOption(new Option('--method <method>', 'only this one').choices([...primaryMethods]))
    .option('--policy <file>', 'also what saving the auth policy in FILE would change; - for standard input');
  argumentCompletedBy(policy, { entity: 'identity' }).action(
    runs(ports, () => import('../explain/explain-policy.ts'))('explainPolicy'),
  );
}

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
