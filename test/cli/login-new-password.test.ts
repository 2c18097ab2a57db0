// A login at the terminal by a person whose password must change.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { commandLine } from '../support/command-line.ts';
import { login } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();

const env = { OVERLAY_AUTH_PASSWORD: password };

async function mustChange(name: string): Promise<readonly string[]> {
  const id = await server.createUser({ name, password });
  await server.store.identities.update(asId(id), { passwordMustChange: true }, server.clock.now());
  return ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', name];
}

test('is asked for a new one until it is accepted, and is logged in with it', async () => {
  const args = await mustChange('ann');
  await using cli = commandLine();
  const typed = [password, password, 'eleven loud umbrellas', 'eleven loud umbrellas'];
  let at = 0;
  const outcome = await cli.exits(0, args, {
    env,
    person: (screen) =>
      /(New password for this login|The same again): $/.test(screen) ? typed[at++] : undefined,
  });
  assert.match(outcome.stderr, /the current password/);
  assert.equal(at, typed.length);
  assert.equal(typeof (await login(server, 'ann', 'eleven loud umbrellas')).access_token, 'string');
});

test('is told to use a terminal if there is none', async () => {
  const args = await mustChange('ben');
  await using cli = commandLine();
  const outcome = await cli.exits(3, args, { env });
  assert.match(outcome.stderr, /has to be replaced/);
});
