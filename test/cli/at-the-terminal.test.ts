// What a person at a terminal is asked, and what happens after a slip.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const server = await startTestServer();
await server.createUser({ name: 'root', password, isAdmin: true });
const cli = commandLine();
const args = ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', 'root', '--password-stdin'];
const { code, stderr } = await cli.run(args, { input: password });
assert.equal(code, 0, stderr);
after(async () => {
  await cli[Symbol.asyncDispose]();
  await server.close();
});

const exists = async (name: string) => (await cli.run(['get', 'identity', name])).code === 0;

/** A person who answers each question with the next of these. */
function typing(...answers: string[]) {
  const left = [...answers];
  return (screen: string) => (/(: |\[y\/N\] )$/.test(screen) ? left.shift() : undefined);
}

test('delete asks first, and only a yes deletes', async () => {
  await cli.run(['create', 'identity', 'some one']);
  for (const answer of ['', 'n', 'yess']) {
    const kept = await cli.run(['delete', 'identity', 'some one'], { person: typing(answer) });
    assert.equal(kept.code, 1);
    assert.match(kept.stderr, /Delete identity 'some one'\? \[y\/N\] /);
    assert.match(kept.stderr, /^error: Nothing was changed\.$/m);
    assert.ok(await exists('some one'));
  }
  const gone = await cli.run(['delete', 'identity', 'some one'], { person: typing('y') });
  assert.equal(gone.code, 0, gone.stderr);
  assert.ok(!(await exists('some one')));
});

test('a question cannot be rewritten by the name in it', async () => {
  const name = 'odd\u001b[2J\u009b1A\u202eone';
  await server.createUser({ name, password });
  const kept = await cli.run(['delete', 'identity', name], { person: typing('n') });
  assert.match(kept.stderr, /Delete identity 'odd\ufffd\[2J\ufffd1A\ufffdone'\? \[y\/N\] /);
  assert.ok(!kept.stderr.includes('\u001b[2J'), JSON.stringify(kept.stderr));
});

test('--yes and programs are not asked', async () => {
  for (const more of [['--yes'], ['-j']]) {
    await cli.run(['create', 'identity', 'quiet']);
    const done = await cli.run(['delete', 'identity', 'quiet', ...more], { person: () => undefined });
    assert.equal(done.code, 0, done.stderr);
    assert.doesNotMatch(done.stderr, /\?/);
  }
});

test('a new password that was mistyped is asked for again, three times', async () => {
  const chosen = 'seven brass lanterns 7';
  const again = await cli.run(['create', 'identity', 'mia', '--updb'], {
    person: typing(chosen, 'seven brass lantern', chosen, chosen),
  });
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /The passwords do not match\. Try again\./);
  const given = await cli.run(['create', 'identity', 'max', '--updb'], {
    person: typing('a', 'b', 'a', 'b', 'a', 'b'),
  });
  assert.equal(given.code, 1);
  assert.match(given.stderr, /The passwords do not match; nothing was changed/);
  assert.ok(!(await exists('max')));
});

test('a password that the server refuses leaves no identity behind', async () => {
  const refused = await cli.run(['create', 'identity', 'half', '--updb', '--password-stdin'], {
    input: 'short',
  });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^error: Nothing was created: The password is not acceptable: .*12 are needed\.\nreference: /,
  );
  assert.ok(!(await exists('half')));
});

test('at a terminal, another password can be chosen instead of the refused one', async () => {
  const chosen = 'nine quiet umbrellas 9';
  const done = await cli.run(['create', 'identity', 'nia', '--updb'], {
    person: typing('short', 'short', chosen, chosen),
  });
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /The password is not acceptable/);
  assert.ok(await exists('nia'));
  const stubborn = await cli.run(['create', 'identity', 'noa', '--updb'], {
    person: typing('a', 'a', 'a', 'a', 'a', 'a'),
  });
  assert.equal(stubborn.code, 1);
  assert.ok(!(await exists('noa')));
});

test('a name with a trailing space is a mistake, refused before anything is asked', async () => {
  for (const args of [
    ['create', 'identity', ' lead'],
    ['create', 'identity', 'trail '],
    ['create', 'auth-policy', '\u00a0p'],
    ['update', 'identity', 'root', '--name', 'root '],
    ['create', 'authenticator', 'updb', 'root', ' root'],
  ]) {
    const { code, stderr } = await cli.run(args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: (<name>|--name|\[username\]) ".*" begins or ends with a space\.\nnext: /);
  }
});
