// What a person at a terminal is asked, and what happens after a slip.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { password } from '../support/management.ts';
import { serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot();

const exists = async (name: string) => (await cli.run(['get', 'identity', name])).code === 0;

/** A person who answers each question with the next of these. */
function typing(...answers: string[]) {
  const left = [...answers];
  return (screen: string) => (/(: |\[y\/N\] )$/.test(screen) ? left.shift() : undefined);
}

test('delete asks first, and only a yes deletes', async () => {
  await cli.run(['create', 'identity', 'some one']);
  for (const answer of ['', 'n', 'yess']) {
    const kept = await cli.exits(1, ['delete', 'identity', 'some one'], { person: typing(answer) });
    assert.match(kept.stderr, /Delete identity 'some one'\? \[y\/N\] /);
    assert.match(kept.stderr, /^error: Nothing was changed\.$/m);
    assert.ok(await exists('some one'));
  }
  await cli.exits(0, ['delete', 'identity', 'some one'], { person: typing('y') });
  assert.ok(!(await exists('some one')));
});

test('a question cannot be rewritten by the name in it', async () => {
  const name = 'odd\u001b[2J\u009b1A\u202eone';
  await server.createUser({ name, password, username: 'odd one' });
  const kept = await cli.run(['delete', 'identity', name], { person: typing('n') });
  assert.match(kept.stderr, /Delete identity 'odd\ufffd\[2J\ufffd1A\ufffdone'\? \[y\/N\] /);
  assert.ok(!kept.stderr.includes('\u001b[2J'), JSON.stringify(kept.stderr));
});

test('--yes and programs are not asked', async () => {
  for (const more of [['--yes'], ['-j']]) {
    await cli.run(['create', 'identity', 'quiet']);
    const done = await cli.exits(0, ['delete', 'identity', 'quiet', ...more], { person: () => undefined });
    assert.doesNotMatch(done.stderr, /\?/);
  }
});

test('a new password that was mistyped is asked for again, three times', async () => {
  const chosen = 'seven brass lanterns 7';
  const again = await cli.exits(0, ['create', 'identity', 'mia', '--updb'], {
    person: typing(chosen, 'seven brass lantern', chosen, chosen),
  });
  assert.match(again.stderr, /The passwords do not match\. Try again\./);
  const given = await cli.exits(1, ['create', 'identity', 'max', '--updb'], {
    person: typing('a', 'b', 'a', 'b', 'a', 'b'),
  });
  assert.match(given.stderr, /The passwords do not match; nothing was changed/);
  assert.ok(!(await exists('max')));
});

test('a password that the server refuses leaves no identity behind', async () => {
  const refused = await cli.exits(1, ['create', 'identity', 'half', '--updb', '--password-stdin'], {
    input: 'short',
  });
  assert.match(
    refused.stderr,
    /^error: Nothing was created: The password is not acceptable: .*12 are needed\.\nreference: /,
  );
  assert.ok(!(await exists('half')));
});

test('at a terminal, another password can be chosen instead of the refused one', async () => {
  const chosen = 'nine quiet umbrellas 9';
  const done = await cli.exits(0, ['create', 'identity', 'nia', '--updb'], {
    person: typing('short', 'short', chosen, chosen),
  });
  assert.match(done.stderr, /The password is not acceptable/);
  assert.ok(await exists('nia'));
  await cli.exits(1, ['create', 'identity', 'noa', '--updb'], {
    person: typing('a', 'a', 'a', 'a', 'a', 'a'),
  });
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
    const { stderr } = await cli.exits(2, args);
    assert.match(stderr, /^error: (<name>|--name|\[username\]) ".*" begins or ends with a space\.\nnext: /);
  }
});
