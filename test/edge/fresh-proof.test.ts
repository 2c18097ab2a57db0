// A factor of one's own account comes and goes only with a fresh proof: a stolen token, or a session that was left open,
// must not be enough to keep the owner out or to make the account weaker.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { goClient } from '../compatibility/support.ts';
import { clientRoot, managementRoot, openSession, sessionOf } from '../legacy/support.ts';
import { certificateLogin, enrolled, withCertificate } from '../support/certificates.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  beginLogin,
  codeOf,
  locationOf,
  login,
  redirectUri,
  refresh,
  submitPassword,
  type Tokens,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, callerWith, loggedIn, password } from '../support/management.ts';
import { serverOfFile, startTestServer, type TestServer } from '../support/test-server.ts';
import { scan, step } from '../support/totp.ts';

// Certificates are made by the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const configure = (yaml: string) => yaml.replace('clientIds: []', `clientIds: [${goClient}]`);
const server = await serverOfFile({ clock, configure });

let count = 0;
async function somebody(): Promise<string> {
  count += 1;
  const name = `person ${count}`;
  await server.createUser({ name, password });
  return name;
}

const byAlias = { client_id: goClient };

/** The tokens of a login by a program of the compatibility profile. */
async function profileLogin(
  at: TestServer,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const id = await beginLogin(at, byAlias);
  const done = await submitPassword(at, id, name, password);
  const { pathname, search } = new URL(locationOf(done), at.url);
  return redeemed(at, await at.get(pathname + search), headers);
}

async function redeemed(
  at: TestServer,
  finished: Answer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code: codeOf(finished),
    redirect_uri: redirectUri,
    client_id: goClient,
    code_verifier: verifier,
  };
  const tokens = await at.post('/oidc/token', { form, headers });
  assert.equal(tokens.status, 200, tokens.text);
  return tokens.json;
}

/** The same on our pages, in a browser; a program redeems the code, or what sends these headers. */
async function browserLogin(name: string, headers: Readonly<Record<string, string>> = {}): Promise<Tokens> {
  const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const begun = await server.get(`/oidc/authorize?${authorizationQuery(byAlias)}`, { headers: page });
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const form = { authRequestId: authRequestIdOf(begun), username: name, password };
  const inBrowser = { headers: { ...page, cookie } };
  const done = await server.post('/oidc/login/username', { form, ...inBrowser });
  const { pathname, search } = new URL(locationOf(done), server.url);
  return redeemed(server, await server.get(pathname + search, inBrowser), headers);
}

/** What a script of a page at an allowed origin adds to each request. */
const script = { origin: 'http://localhost:8400', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };

const mfa = 'current-identity/mfa';

function assertAsked(answer: Answer, scheme: string): void {
  assertRefused(answer, 401, 'UNAUTHORIZED');
  assert.match(answer.json.error.message, /currentPassword, or log in again/);
  assert.deepEqual(answer.lines('www-authenticate'), [
    `${scheme}, error="insufficient_user_authentication", error_description="a fresh proof is needed", max_age="300"`,
  ]);
}
const assertOidcAsked = (answer: Answer) => assertAsked(answer, 'Bearer realm="overlay-oidc"');

for (const root of [clientRoot, managementRoot]) {
  const path = `${root}/${mfa}`;
  describe(`setting up an authenticator app at ${root}`, () => {
    test('needs nothing more within five minutes of the login', async () => {
      const caller = await loggedIn(server, await somebody());
      clock.advance(5 * MINUTE);
      assert.equal((await caller.call('POST', path)).status, 201);
    });

    test('needs the current password later, and the session continues', async () => {
      const name = await somebody();
      const caller = await loggedIn(server, name);
      clock.advance(5 * MINUTE + SECOND);
      for (const body of [undefined, {}, { password }])
        assertOidcAsked(await caller.call('POST', path, body));
      assert.equal((await caller.get(`${root}/current-identity`)).status, 200);
      assertRefused(await caller.get(path), 404, 'NOT_FOUND');
      const wrong = await caller.call('POST', path, { currentPassword: 'wrong' });
      assertRefused(wrong, 400, 'INVALID_FIELD', 'currentPassword');
      assert.equal((await caller.call('POST', path, { currentPassword: password })).status, 201);
      const { data } = (await caller.get(path)).json;
      const code = scan(clock, data.provisioningUrl).code();
      assert.equal((await caller.call('POST', `${path}/verify`, { code })).status, 200);
    });

    test('is not provided by a refresh, which proves nothing', async () => {
      const name = await somebody();
      const tokens = await login(server, name, password);
      clock.advance(6 * MINUTE);
      const renewed = (await refresh(server, tokens.refresh_token)).json;
      assertOidcAsked(await callerWith(server, renewed.access_token).call('POST', path));
    });

    test('is required of a zt-session too', async () => {
      const session = await openSession(server, await somebody(), root);
      clock.advance(6 * MINUTE);
      assertAsked(await session.post(mfa), 'zt-session realm="zt-session"');
      assert.equal((await session.get('current-identity')).status, 200);
      assert.equal((await session.post(mfa, { currentPassword: password })).status, 201);
    });
  });

  describe(`removing an authenticator app at ${root}`, () => {
    async function withApp(): Promise<{ caller: Caller; code: () => string }> {
      const caller = await loggedIn(server, await somebody());
      await caller.call('POST', path);
      const app = scan(clock, (await caller.get(path)).json.data.provisioningUrl);
      assert.equal((await caller.call('POST', `${path}/verify`, { code: app.code() })).status, 200);
      clock.advance(step);
      return { caller, code: app.code };
    }

    test('needs the code, and a login of the last five minutes or the current password', async () => {
      const { caller, code } = await withApp();
      clock.advance(6 * MINUTE);
      assertOidcAsked(await caller.call('DELETE', path, { code: code() }));
      const wrong = await caller.call('DELETE', path, { code: code(), currentPassword: 'wrong' });
      assertRefused(wrong, 400, 'INVALID_FIELD', 'currentPassword');
      const both = { code: '000000', currentPassword: password };
      assertRefused(await caller.call('DELETE', path, both), 400, 'INVALID_TOTP_CODE');
      assert.equal((await caller.call('DELETE', path, { ...both, code: code() })).status, 200);
    });

    test('is asked for before new recovery codes, which a thief of one code would keep', async () => {
      const { caller, code } = await withApp();
      const codes = `${path}/recovery-codes`;
      clock.advance(6 * MINUTE);
      assertOidcAsked(await caller.call('POST', codes, { code: code() }));
      const renewed = await caller.call('POST', codes, { code: code(), currentPassword: password });
      assert.equal(renewed.status, 200, renewed.text);
      assert.equal(renewed.json.data.recoveryCodes.length, 20);
    });

    test('needs no more than the code just after the login', async () => {
      const { caller, code } = await withApp();
      assert.equal((await caller.call('DELETE', path, { code: code() })).status, 200);
    });
  });
}

describe('the fresh proof', () => {
  const path = `${clientRoot}/${mfa}`;

  test('counts wrong passwords as failed logins', async () => {
    const name = await somebody();
    const caller = await loggedIn(server, name);
    for (let at = 0; at < 10; at += 1) {
      assertRefused(await caller.call('POST', path, { currentPassword: 'wrong' }), 400, 'INVALID_FIELD');
    }
    assertRefused(await caller.call('POST', path, { currentPassword: password }), 400, 'INVALID_FIELD');
    assert.equal((await caller.get(`${clientRoot}/current-identity`)).status, 200);
  });

  test('is not needed to abandon an unconfirmed enrollment', async () => {
    const caller = await loggedIn(server, await somebody());
    assert.equal((await caller.call('POST', path)).status, 201);
    clock.advance(6 * MINUTE);
    assert.equal((await caller.call('DELETE', path)).status, 200);
  });

  test('is the certificate of a session that one opened, on a connection that has it', async () => {
    const id = await createIdentity(server, 'device', { externalId: null });
    using connection = withCertificate(server, await enrolled(server, id));
    const tokens = await certificateLogin(connection);
    const opened = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
    clock.advance(10 * MINUTE);
    assertAsked(await sessionOf(server, opened).post(mfa), 'zt-session realm="zt-session"');
    const other = await createIdentity(server, 'other device', { externalId: null });
    const thief = withCertificate(server, await enrolled(server, other));
    assertAsked(await sessionOf(thief, opened).post(mfa), 'zt-session realm="zt-session"');
    thief.closeConnections();
    const overTls = sessionOf(connection, opened);
    assert.equal((await overTls.post(mfa)).status, 201);
    assert.equal((await overTls.call('DELETE', mfa)).status, 200);
    assert.equal((await callerWith(connection, tokens.access_token).call('POST', path)).status, 201);
  });

  const inBrowsers: Readonly<Record<string, (name: string) => Promise<Tokens>>> = {
    'logged in on our pages, for a program': (name) => browserLogin(name),
    'logged in on our pages, for a script': (name) => browserLogin(name, script),
    'was read by a script': (name) => profileLogin(server, name, script),
  };
  for (const [how, open] of Object.entries(inBrowsers)) {
    test(`is required under a client id of the compatibility profile for a person who ${how}`, async () => {
      const first = await open(await somebody());
      const caller = callerWith(server, first.access_token);
      assert.equal((await caller.call('POST', path)).status, 201);
      const app = scan(clock, (await caller.get(path)).json.data.provisioningUrl);
      assert.equal((await caller.call('POST', `${path}/verify`, { code: app.code() })).status, 200);
      clock.advance(6 * MINUTE);
      assertOidcAsked(await caller.call('DELETE', path, { code: app.code() }));
      const next = await refresh(server, first.refresh_token, byAlias);
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: next.json.refresh_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
        ...byAlias,
      };
      const exchanged = await server.post('/oidc/token', { form });
      for (const { status, json } of [next, exchanged]) {
        assert.equal(status, 200);
        const again = callerWith(server, json.access_token);
        assertOidcAsked(await again.call('DELETE', path, { code: app.code() }));
      }

      const other = callerWith(server, (await open(await somebody())).access_token);
      clock.advance(6 * MINUTE);
      assertOidcAsked(await other.call('POST', path));
    });
  }

  test('is not required of programs of the compatibility profile, unless the configuration says so', async () => {
    const name = await somebody();
    const { access_token: token } = await profileLogin(server, name);
    clock.advance(10 * MINUTE);
    const program = callerWith(server, token);
    // One that offers a proof is held to it.
    assertRefused(await program.call('POST', path, { currentPassword: 'wrong' }), 400, 'INVALID_FIELD');
    assert.equal((await program.call('POST', path)).status, 201);
    // They know no passkeys, and a thief of the token could keep the account with one.
    const passkeys = `${clientRoot}/current-identity/passkeys`;
    assertOidcAsked(await program.call('POST', `${passkeys}/options`, {}));
    assertOidcAsked(await program.call('DELETE', `${passkeys}/any`, {}));

    await using strict = await startTestServer({
      clock,
      configure: (yaml) =>
        yaml.replace('clientIds: []', `clientIds: [${goClient}]\n      freshProofForFactors: true`),
    });
    await strict.createUser({ name, password });
    const { access_token: old } = await profileLogin(strict, name);
    clock.advance(10 * MINUTE);
    assertOidcAsked(await callerWith(strict, old).call('POST', path));
  });
});
