import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type CommandLine, commandLine, type Outcome } from '../support/command-line.ts';
import { loggedIn, password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const newPassword = 'eleven loud umbrellas';
const server = await startTestServer();
after(() => server.close());

async function loggedInAs(name: string): Promise<CommandLine> {
  await server.createUser({ name, password });
  const cli = commandLine();
  const args = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', name, '--password-stdin'];
  const outcome = await cli.run(args, { input: password });
  assert.equal(outcome.code, 0, outcome.stderr);
  return cli;
}

function change(cli: CommandLine, current: string, next: string): Promise<Outcome> {
  const file = join(server.home, 'current');
  writeFileSync(file, `${current}\n`);
  return cli.run(['password', '--current-password-file', file, '--password-stdin'], { input: `${next}\n` });
}

test('password changes the password of the caller, keeps this login and ends the others', async () => {
  await using cli = await loggedInAs('ada');
  const other = await loggedIn(server, 'ada');
  const refused = await change(cli, password, 'short');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /at least 12/);
  assert.doesNotMatch(refused.stderr + refused.stdout, /short/);
  const wrong = await change(cli, 'not it', newPassword);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /current password is not right/);

  const changed = await change(cli, password, newPassword);
  assert.equal(changed.code, 0, changed.stderr);
  assert.match(changed.stdout, /password of ada is changed/);
  assert.equal((await other.get('current-identity')).status, 401);
  assert.equal((await cli.run(['whoami'])).code, 0);
  await loggedIn(server, 'ada', newPassword);
});

test('password without a terminal says how to give both passwords', async () => {
  await using cli = await loggedInAs('bea');
  const outcome = await cli.run(['password', '--password-stdin'], { input: newPassword });
  assert.equal(outcome.code, 2);
  assert.match(outcome.stderr, /--current-password-file/);
});

test('password at a terminal asks for the current one, and twice for the new one', async () => {
  await using cli = await loggedInAs('cleo');
  const outcome = await cli.run(['password'], {
    person(screen) {
      if (/Current password of cleo: $/.test(screen)) return password;
      if (/New password for cleo: $|The same again: $/.test(screen)) return newPassword;
      return undefined;
    },
  });
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.doesNotMatch(outcome.stderr + outcome.stdout, /umbrellas|lanterns/);
  await loggedIn(server, 'cleo', newPassword);
});
