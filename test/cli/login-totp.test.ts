// Setting up an authenticator app at the terminal, during a login.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  type AuthenticatorApp,
  authQueries,
  createTotpUser,
  enroll,
  partialLogin,
  password,
  scan,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock });
const policy = await totpPolicy(server);

/** A person who answers what the terminal asks. */
interface Person {
  readonly wants?: string;
  code(app: AuthenticatorApp, tries: number): string;
}

/** Logs in as `username`, with a person who types what `person` says. */
async function loginAs(cli: CommandLine, username: string, person: Person, ...more: string[]) {
  let app: AuthenticatorApp | undefined;
  let tries = 0;
  const outcome = await cli.run(
    ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', username, ...more],
    {
      env: { OVERLAY_AUTH_PASSWORD: password },
      person(screen) {
        if (/app now\? \[y\/N\] $/.test(plain(screen))) return person.wants ?? 'y';
        if (/recovery codes\? \[y\/N\] $/.test(plain(screen))) {
          const [, key = ''] = /into the app:\s+([A-Z2-7 ]+)\n/.exec(screen) ?? [];
          const secret = key.replaceAll(' ', '');
          if (secret !== '') app = scan(clock, `otpauth://totp/x:y?issuer=x&secret=${secret}`);
          return 'y';
        }
        if (/(shows now|One-time code): $/.test(plain(screen))) {
          tries += 1;
          assert.ok(app);
          return person.code(app, tries);
        }
        return undefined;
      },
    },
  );
  return { outcome, app };
}

/** Without the cursor movements of the line editor. */
function plain(screen: string): string {
  return screen.replace(/\p{Cc}\[[0-9;]*[A-HJKf]/gu, '');
}

describe('a login that has to set up one-time codes', () => {
  test('shows the secret and the recovery codes once, and logs in with the first code', async () => {
    await createTotpUser(server, policy, 'ada');
    await using cli = commandLine(clock);
    const { outcome: login, app } = await loginAs(cli, 'ada', { code: (shown) => shown.code() });
    assert.equal(login.code, 0, login.stderr);
    assert.match(login.stdout, /^Logged in to \S+ as ada \(password, totp\)\./);
    assert.equal(login.stderr.match(/^ {2}[A-Z2-7]{5}-[A-Z2-7]{5}$/gm)?.length, 20);
    assert.match(login.stderr, /[█▀▄]{8}/);
    assert.match(login.stderr, /Save these recovery codes/);
    const [recoveryCode = ''] = /[A-Z2-7]{5}-[A-Z2-7]{5}/.exec(login.stderr) ?? [];
    clock.advance(step);
    assert.ok(app);
    for (const code of [app.code(), recoveryCode]) {
      assert.equal((await submitCode(server, await partialLogin(server, 'ada'), code)).status, 302);
    }
  });

  test('asks again after a wrong code, and takes one typed in groups', async () => {
    await createTotpUser(server, policy, 'bea');
    await using cli = commandLine(clock);
    const typed = (app: AuthenticatorApp, tries: number) =>
      tries === 1 ? app.wrongCode() : `${app.code().slice(0, 3)} ${app.code().slice(3)}`;
    const { outcome: login } = await loginAs(cli, 'bea', { code: typed });
    assert.equal(login.code, 0, login.stderr);
    assert.match(login.stderr, /That code was not accepted/);
  });

  test('gives up after a few wrong codes, and sets nothing up', async () => {
    await createTotpUser(server, policy, 'cleo');
    await using cli = commandLine(clock);
    const { outcome: login } = await loginAs(cli, 'cleo', { code: (app) => app.wrongCode() });
    assert.equal(login.code, 3);
    assert.match(login.stderr, /the set-up was cancelled/);
    const asked = await authQueries(server, await partialLogin(server, 'cleo'));
    assert.equal(asked.json.authQueries[0].isTotpEnrolled, false);
  });

  test('ends with exit code 3 when the person does not want to', async () => {
    await createTotpUser(server, policy, 'dora');
    await using cli = commandLine(clock);
    const { outcome: login } = await loginAs(cli, 'dora', { wants: 'n', code: () => '' });
    assert.equal(login.code, 3);
    assert.match(login.stderr, /next: overlay-auth login/);
  });

  test('keeps standard output to the result under -j', async () => {
    await createTotpUser(server, policy, 'edda');
    await using cli = commandLine(clock);
    const { outcome: login } = await loginAs(cli, 'edda', { code: (app) => app.code() }, '-j');
    assert.equal(login.code, 0, login.stderr);
    assert.deepEqual(login.json.amr, ['password', 'totp']);
  });
});

describe('a login with one-time codes set up', () => {
  test('asks for the code at the terminal', async () => {
    await createTotpUser(server, policy, 'fay');
    const { app } = await enroll(server, clock, 'fay');
    await using cli = commandLine(clock);
    await cli.exits(0, ['login', server.url, '--ca', join(server.home, 'ca.pem'), '-u', 'fay'], {
      env: { OVERLAY_AUTH_PASSWORD: password },
      person: (screen) => (/One-time code: $/.test(plain(screen)) ? app.code() : undefined),
    });
  });
});
