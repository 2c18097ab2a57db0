// People at command lines of their own, who use one server.

import { join } from 'node:path';
import { after } from 'node:test';
import { type CommandLine, commandLine, exits, type Outcome } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';

/** A server, and a command line at which its administrator root is logged in, until the tests of the file have ended. */
export async function serverOfRoot(
  options: TestServerOptions = {},
): Promise<{ readonly server: TestServer; readonly cli: CommandLine }> {
  const server = await startTestServer(options);
  const cli = commandLine(options.clock);
  after(async () => {
    await cli[Symbol.asyncDispose]();
    await server.close();
  });
  await server.createUser({ name: 'root', password, isAdmin: true });
  await exits(0, logInAs(cli, server, 'root'));
  return { server, cli };
}

/** Logs in with a password. @param more further arguments */
export function logInAs(
  cli: CommandLine,
  server: Pick<TestServer, 'url' | 'home'>,
  username: string,
  secret = password,
  ...more: readonly string[]
): Promise<Outcome> {
  const ca = join(server.home, 'ca.pem');
  const args = ['login', server.url, '--ca', ca, '-u', username, '--password-stdin', ...more];
  return cli.run(args, { input: `${secret}\n` });
}
