// `login --device`: the command shows a code, and a person enters it in the browser of another device.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { commandLine } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { locationOf } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'same-origin' };
const server = await serverOfFile({ clock });
await server.createUser({ name: 'ada', password });

const command = () => ['login', server.url, '--ca', join(server.home, 'ca.pem'), '--device'];

/** What the person does with the code that the command shows. */
async function decide(screen: string, step: 'continue' | 'deny'): Promise<void> {
  const userCode = /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(screen)?.[1] ?? '';
  const start = await server.post('/oidc/device', { headers, form: { user_code: userCode, step } });
  if (step === 'deny') return;
  const cookie = start.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const mine = { ...headers, cookie };
  const form = await server.get(locationOf(start), { headers: mine });
  const id = /name="authRequestId" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  const credentials = { authRequestId: id, username: 'ada', password };
  const done = await server.post('/oidc/login/username', { headers: mine, form: credentials });
  const { pathname, search } = new URL(locationOf(done));
  assert.equal((await server.get(pathname + search, { headers: mine })).status, 200);
  const answer = { code: new URLSearchParams(search).get('code') ?? '', step: 'approve' };
  const finished = await server.post('/oidc/device/finished', { headers: mine, form: answer });
  assert.match(finished.text, /Your device is signed in/);
}

describe('login --device', () => {
  test('logs in when a person has entered the code', async () => {
    await using cli = commandLine(clock);
    let screen = '';
    let pauses = 0;
    const login = await cli.exits(0, command(), {
      onStderr: (text) => {
        screen = text;
      },
      async onPause() {
        pauses += 1;
        // The second time too soon, by a clock that the server does not share.
        clock.advance(pauses === 2 ? SECOND : 5 * SECOND);
        if (pauses === 3) await decide(screen, 'continue');
      },
    });
    assert.ok(screen.includes(`visit\n  ${server.url}/oidc/device\n`), screen);
    assert.match(login.stdout, /as ada \(password\)/);
    assert.equal((await cli.run(['whoami', '-j'])).json.name, 'ada');
  });

  test('says so when the person refuses', async () => {
    await using cli = commandLine(clock);
    let screen = '';
    const login = await cli.exits(3, command(), {
      onStderr: (text) => {
        screen = text;
      },
      onPause: () => decide(screen, 'deny'),
    });
    assert.match(login.stderr, /the person refused the login/);
  });

  test('gives up when the code is not entered in time, and says how to begin again', async () => {
    await using cli = commandLine(clock);
    const login = await cli.exits(3, command(), {
      onPause: async () => {
        clock.advance(MINUTE);
      },
    });
    assert.match(login.stderr, /The login with the code was not finished in time/);
    assert.ok(login.stderr.includes(`overlay-auth login --device ${server.url}`));
  });

  test('cannot be combined with credentials', async () => {
    await using cli = commandLine(clock);
    for (const more of [['-u', 'ada'], ['--no-browser']]) {
      await cli.exits(2, [...command(), ...more]);
    }
  });
});
