import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CommandLine, commandLine, exits, type Outcome } from '../support/command-line.ts';
import { loggedIn, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { logInAs } from './support.ts';

const newPassword = 'eleven loud umbrellas';
const server = await serverOfFile();

async function loggedInAs(name: string): Promise<CommandLine> {
  await server.createUser({ name, password });
  const cli = commandLine();
  await exits(0, logInAs(cli, server, name));
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
  const refused = await exits(1, change(cli, password, 'short'));
  assert.match(refused.stderr, /at least 12/);
  assert.doesNotMatch(refused.stderr + refused.stdout, /short/);
  const wrong = await exits(1, change(cli, 'not it', newPassword));
  assert.match(wrong.stderr, /current password is not right/);

  const changed = await exits(0, change(cli, password, newPassword));
  assert.match(changed.stdout, /password of ada is changed/);
  assert.equal((await other.get('current-identity')).status, 401);
  await cli.exits(0, ['whoami']);
  await loggedIn(server, 'ada', newPassword);
});

test('password without a terminal says how to give both passwords', async () => {
  await using cli = await loggedInAs('bea');
  const outcome = await cli.exits(2, ['password', '--password-stdin'], { input: newPassword });
  assert.match(outcome.stderr, /--current-password-file/);
});

test('password takes the one in the environment for the current one, never for the new one', async () => {
  await using cli = await loggedInAs('dora');
  const env = { OVERLAY_AUTH_PASSWORD: password };
  const nothingNew = await cli.exits(2, ['password'], { env });
  assert.match(nothingNew.stderr, /new password is needed.*\nnext: .*--password-stdin/);
  const chosen = 'twelve quiet umbrellas';
  await cli.exits(0, ['password', '--password-stdin'], { env, input: chosen });
  await loggedIn(server, 'dora', chosen);
  const asked: string[] = [];
  await cli.exits(0, ['password'], {
    env: { OVERLAY_AUTH_PASSWORD: chosen },
    person(screen) {
      asked.push(screen);
      return newPassword;
    },
  });
  assert.match(String(asked[0]), /New password for dora: $/);
  await loggedIn(server, 'dora', newPassword);
});

test('password at a terminal asks for the current one, and twice for the new one', async () => {
  await using cli = await loggedInAs('cleo');
  const outcome = await cli.exits(0, ['password'], {
    person(screen) {
      if (/Current password of cleo: $/.test(screen)) return password;
      if (/New password for cleo: $|The same again: $/.test(screen)) return newPassword;
      return undefined;
    },
  });
  assert.doesNotMatch(outcome.stderr + outcome.stdout, /umbrellas|lanterns/);
  await loggedIn(server, 'cleo', newPassword);
});
