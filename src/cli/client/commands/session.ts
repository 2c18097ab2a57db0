import { Argument, type Command } from 'commander';
import { commandOf, runs, withPassword } from '../../terminal/command.ts';
import { argumentCompletedBy } from '../../terminal/hints.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { serverOption } from '../command.ts';

/** `login`, `logout`, `whoami`, `password`, `token`: the saved login. */
export function registerSessionCommands(program: Command, ports: CliPorts): void {
  registerLogin(program, ports);

  serverOption(commandOf(program, 'logout', 'end the session at the server and forget it here'))
    .option('--local', 'only forget it here; the session stays alive at the server')
    .action(runs(ports, () => import('../login/run-logout.ts'))('runLogout'));

  serverOption(commandOf(program, 'whoami', 'show who you are and how long your token lasts')).action(
    runs(ports, () => import('../login/run-whoami.ts'))('runWhoami'),
  );

  const password = serverOption(
    commandOf(program, 'password', 'change your own password; it ends your other sessions'),
  ).option('--current-password-file <file>', 'read the current password from FILE');
  withPassword(password, 'read the new password').action(
    runs(ports, () => import('../login/run-password.ts'))('runPassword'),
  );

  serverOption(commandOf(program, 'token', 'print a token of the current session'))
    .addArgument(new Argument('[kind]', 'which one').choices(['access', 'id', 'refresh']).default('access'))
    .option('--decode', 'print what the token says instead; nothing is verified')
    .action(runs(ports, () => import('../login/run-token.ts'))('runToken'));
}

function registerLogin(program: Command, ports: CliPorts): void {
  const login = commandOf(program, 'login', 'log in with the browser, or with the credentials given')
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
    .option(
      '--bearer',
      'get tokens that other programs can use as they are; otherwise they work only with a key that is kept here',
    )
    .option('--device', 'show a code, and log in with the browser of another device')
    .option('--no-browser', 'print the address to visit instead of opening the browser')
    .addHelpText(
      'after',
      '\nThe password may also be in the environment as OVERLAY_AUTH_PASSWORD. It is never an argument.',
    )
    .action(runs(ports, () => import('../login/run-login.ts'))('runLogin'));

  const run = runs(ports, () => import('../login/saved-logins.ts'));
  commandOf(login, 'list', 'list the saved logins').action(run('listLogins'));
  savedLogin(commandOf(login, 'use', 'make a saved login the current one')).action(run('useLogin'));
  savedLogin(
    commandOf(
      login,
      'forget',
      'forget a login; with an address, every login there and the authority trusted for it',
    ),
  ).action(run('forgetLogin'));
}

function savedLogin(command: Command): Command {
  return argumentCompletedBy(
    command.argument('<login>', 'name, address of the server, or both: ada@localhost:1280'),
    'login',
  );
}

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
