import { Argument, type Command } from 'commander';
import { reportOf, serverOption } from '../../terminal/command-options.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import type { LoginOptions } from '../login/run-login.ts';
import type { PasswordOptions } from '../login/run-password.ts';

interface ServerOptions {
  readonly server?: string;
}

/** `login`, `logout`, `whoami`, `password`, `token`: the saved login. */
export function registerSessionCommands(program: Command, ports: CliPorts): void {
  registerLogin(program, ports);

  serverOption(program.command('logout').description('end the session at the server and forget it here'))
    .option('--local', 'only forget it here; the session stays alive at the server')
    .action(async (options: ServerOptions & { local?: boolean }, command: Command) => {
      const { runLogout } = await import('../login/run-logout.ts');
      await runLogout(reportOf(command, ports), options);
    });

  serverOption(
    program.command('whoami').description('show who you are and how long your token lasts'),
  ).action(async ({ server }: ServerOptions, command: Command) => {
    const { runWhoami } = await import('../login/run-whoami.ts');
    await runWhoami(reportOf(command, ports), server);
  });

  serverOption(
    program.command('password').description('change your own password; it ends your other sessions'),
  )
    .option('--current-password-file <file>', 'read the current password from FILE')
    .option('--password-stdin', 'read the new password from standard input')
    .option('--password-file <file>', 'read the new password from FILE')
    .action(async (options: PasswordOptions, command: Command) => {
      const { runPassword } = await import('../login/run-password.ts');
      await runPassword(reportOf(command, ports), options);
    });

  serverOption(program.command('token').description('print a token of the current session'))
    .addArgument(new Argument('[kind]', 'which one').choices(['access', 'id', 'refresh']).default('access'))
    .option('--decode', 'print what the token says instead; nothing is verified')
    .action(
      async (
        kind: 'access' | 'id' | 'refresh',
        options: ServerOptions & { decode?: boolean },
        command: Command,
      ) => {
        const { runToken } = await import('../login/run-token.ts');
        await runToken(reportOf(command, ports), kind, options);
      },
    );
}

function registerLogin(program: Command, ports: CliPorts): void {
  const login = program
    .command('login')
    .description('log in with the browser, or with the credentials given')
    .argument(
      '[url]',
      'address of the server, such as https://localhost:1280 (default: that of the identity file, or the current login)',
    )
    .option('-u, --username <name>', 'log in with user name and password; asks for the password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from FILE')
    .option(
      '-c, --cert <file>',
      'log in with the client certificate in FILE: PEM, leaf first, or what enroll wrote',
    )
    .option('-k, --key <file>', 'the key of the certificate (default: in the same file)')
    .option(
      '-e, --ext-jwt <file>',
      'log in with the external JWT in FILE (- for standard input); with -u or -c it is the second factor',
    )
    .option('--totp-code <code>', 'the one-time code, if one is required')
    .option('--ca <file>', 'trust the certificate authority in FILE for this server')
    .option('--api-url <url>', 'where the Edge APIs are, if not at the same address')
    .option('--device', 'show a code, and log in with the browser of another device')
    .option('--no-browser', 'print the address to visit instead of opening the browser')
    .addHelpText(
      'after',
      '\nThe password may also be in the environment as OVERLAY_AUTH_PASSWORD. It is never an argument.',
    )
    .action(async (url: string | undefined, options: LoginOptions, command: Command) => {
      const { runLogin } = await import('../login/run-login.ts');
      await runLogin(reportOf(command, ports), url, options);
    });

  login
    .command('list')
    .description('list the saved logins')
    .action(async (_options: unknown, command: Command) => {
      const { listLogins } = await import('../login/saved-logins.ts');
      await listLogins(reportOf(command, ports));
    });
  savedLoginArgument(login.command('use').description('make a saved login the current one')).action(
    async (word: string, _options: unknown, command: Command) => {
      const { useLogin } = await import('../login/saved-logins.ts');
      await useLogin(reportOf(command, ports), word);
    },
  );
  savedLoginArgument(
    login
      .command('forget')
      .description('forget a login; with an address, every login there and the authority trusted for it'),
  ).action(async (word: string, _options: unknown, command: Command) => {
    const { forgetLogin } = await import('../login/saved-logins.ts');
    await forgetLogin(reportOf(command, ports), word);
  });
}

function savedLoginArgument(command: Command): Command {
  return argumentCompletedBy(
    command.argument('<login>', 'name, address of the server, or both: ada@localhost:1280'),
    'login',
  );
}
