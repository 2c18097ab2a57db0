// Who gets the compatibility profile: a client id that the configuration lists, and no client by any other means.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  claimsOf,
  codeOf,
  locationOf,
  obtainCode,
  redeem,
  redirectUri,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTotpUser, password, startEnrollment, totpPolicy } from '../support/totp.ts';
import { basic, goClient, parseJwt, startCompatibleServer, tokenType } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const authorizationPaths = ['/oidc/authorization', '/oidc/authorize'];
const tokenPaths = ['/oidc/token', '/oidc/oauth/token'];
const loginPaths = ['/oidc/login/username', '/oidc/login/password'];
let on: TestServer;
let off: TestServer;
before(async () => {
  [on, off] = await Promise.all([startCompatibleServer(clock), startTestServer({ clock })]);
  for (const server of [on, off]) await server.createUser({ name: 'ann', password });
  await createTotpUser(on, await totpPolicy(on), 'totp-ann');
});
after(() => Promise.all([on?.close(), off?.close()]));

function idIn(answer: Answer): string {
  const id = new URL(locationOf(answer), 'https://localhost').searchParams.get('authRequestID');
  assert.ok(id, answer.text);
  return id;
}

/** A whole login by these paths. */
async function tokensBy(
  server: TestServer,
  clientId: string,
  [authorization, login, token]: readonly [string, string, string],
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
): Promise<any> {
  const begun = await server.post(`${authorization}?${authorizationQuery({ client_id: clientId })}`);
  const form = { id: idIn(begun), username: 'ann', password };
  const done = await server.post(login, { form });
  const first = locationOf(done);
  const last = first.startsWith(redirectUri) ? done : await server.get(first.slice(server.url.length));
  const answer = await server.post(token, {
    form: {
      grant_type: 'authorization_code',
      code: codeOf(last),
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const everyPath = authorizationPaths.flatMap((authorization) =>
  loginPaths.flatMap((login) => tokenPaths.map((token) => [authorization, login, token] as const)),
);

describe('the main client, whichever path it uses', () => {
  test('gets opaque refresh tokens and the audience of the APIs alone', async () => {
    for (const paths of everyPath) {
      for (const server of [on, off]) {
        const tokens = await tokensBy(server, 'overlay', paths);
        assert.match(tokens.refresh_token, /^[\w-]{91}$/, paths.join(' '));
        assert.equal(claimsOf(tokens.access_token).aud, 'overlay-edge-apis');
      }
    }
  });

  test('is sent straight back to its redirect URI', async () => {
    for (const [authorization, login] of everyPath) {
      const begun = await on.get(`${authorization}?${authorizationQuery()}`);
      const form = { id: idIn(begun), username: 'ann', password };
      const location = locationOf(await on.post(login, { form }));
      assert.ok(location.startsWith(`${redirectUri}?code=`), location);
    }
  });

  test('is asked for TOTP in the words of the specification', async () => {
    for (const [authorization, login] of everyPath) {
      const begun = await on.get(`${authorization}?${authorizationQuery()}`);
      const answer = await on.post(login, { form: { id: idIn(begun), username: 'totp-ann', password } });
      assert.equal(answer.json.authQueries[0].typeId, 'MFA');
    }
  });

  test('has no token exchange', async () => {
    for (const paths of everyPath) {
      const tokens = await tokensBy(on, 'overlay', paths);
      for (const path of tokenPaths) {
        for (const [subject, type] of [
          [tokens.refresh_token, 'refresh_token'],
          [tokens.access_token, 'access_token'],
        ] as const) {
          const form = {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            subject_token: subject,
            subject_token_type: tokenType(type),
          };
          const answer = await on.post(path, { form: { ...form, client_id: 'overlay' } });
          assert.equal(answer.status, 400);
          assert.equal(answer.json.error, 'unauthorized_client');
          const asAlias = await on.post(path, { form, headers: { authorization: basic(goClient) } });
          assert.equal(asAlias.json.error, 'invalid_grant');
          const withoutProfile = await off.post('/oidc/token', { form: { ...form, client_id: 'overlay' } });
          assert.deepEqual(
            [withoutProfile.status, withoutProfile.json.error],
            [400, 'unsupported_grant_type'],
          );
        }
      }
    }
  });

  test('has the redirect URIs of the configuration and no others', async () => {
    await using strict = await startCompatibleServer(clock, {
      configure: (yaml) =>
        yaml.replace(
          '- binding: edge-client\n',
          '- binding: edge-client\n      - binding: edge-oidc\n        options: { redirectURIs: ["https://app.example.com/cb"] }\n',
        ),
    });
    const changes = { redirect_uri: 'http://localhost:8080/auth/callback' };
    for (const path of authorizationPaths) {
      const main = await strict.get(`${path}?${authorizationQuery(changes)}`);
      assert.equal(main.status, 400);
      const alias = await strict.get(`${path}?${authorizationQuery({ ...changes, client_id: goClient })}`);
      assert.equal(alias.status, 302);
      // Anybody may lead a browser here under the name of an alias.
      const query = authorizationQuery({ ...changes, client_id: goClient });
      const inBrowser = await strict.get(`${path}?${query}`, { headers: { accept: 'text/html' } });
      assert.equal(inBrowser.status, 400);
      const cookie = `__Host-overlay-auth-login-AAAA=${'A'.repeat(42)}E`;
      const page = locationOf(alias).slice(locationOf(alias).indexOf('/oidc'));
      assert.equal((await strict.get(page, { headers: { accept: 'text/html', cookie } })).status, 400);
      for (const other of ['http://localhost:8080/other', 'http://example.com:8080/auth/callback']) {
        const query = authorizationQuery({ redirect_uri: other, client_id: goClient });
        assert.equal((await strict.get(`${path}?${query}`)).status, 400, other);
      }
    }
  });

  test('does not weaken the strict rules: PKCE and scopes apply to both', async () => {
    for (const path of authorizationPaths) {
      for (const clientId of ['overlay', goClient]) {
        for (const [name, value, error] of [
          ['code_challenge', null, 'invalid_request'],
          ['code_challenge_method', 'plain', 'invalid_request'],
          ['scope', 'email', 'invalid_scope'],
        ] as const) {
          const query = authorizationQuery({ client_id: clientId, [name]: value });
          const answer = await on.get(`${path}?${query}`);
          assert.equal(new URL(locationOf(answer)).searchParams.get('error'), error, `${clientId} ${name}`);
        }
      }
    }
  });
});

describe('codes and tokens of one client', () => {
  test('are worth nothing for another', async () => {
    for (const [owner, thief] of [
      ['overlay', goClient],
      [goClient, 'overlay'],
    ] as const) {
      const begun = await on.get(`/oidc/authorize?${authorizationQuery({ client_id: owner })}`);
      const done = await submitPassword(on, idIn(begun), 'ann', password);
      const first = locationOf(done);
      const last = first.startsWith(redirectUri) ? done : await on.get(first.slice(on.url.length));
      const stolen = await redeem(on, codeOf(last), { client_id: thief });
      assert.equal(stolen.json.error, 'invalid_grant');
      const tokens = (await redeem(on, codeOf(last), { client_id: owner })).json;
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const refused = await on.post('/oidc/token', { form: { ...form, client_id: thief } });
      assert.equal(refused.json.error, 'invalid_grant');
      const revoked = await on.post('/oidc/revoke', {
        form: { token: tokens.refresh_token, client_id: thief },
      });
      assert.equal(revoked.status, 200);
      assert.equal((await on.post('/oidc/token', { form: { ...form, client_id: owner } })).status, 200);
    }
  });

  test('the secret inside a signed refresh token is not a refresh token by itself, for any client', async () => {
    const tokens = await tokensBy(on, goClient, ['/oidc/authorize', '/oidc/login/password', '/oidc/token']);
    const { claims } = parseJwt(tokens.refresh_token);
    for (const clientId of ['overlay', goClient]) {
      for (const text of [claims.jti, tokens.access_token, tokens.id_token, `${tokens.refresh_token}x`]) {
        const form = { grant_type: 'refresh_token', refresh_token: text, client_id: clientId };
        assert.equal((await on.post('/oidc/token', { form })).json.error, 'invalid_grant');
      }
    }
    const headers = { authorization: `Bearer ${tokens.refresh_token}` };
    assert.equal((await on.get('/edge/client/v1/current-identity', { headers })).status, 401);
    const hint = await on.get(`/oidc/end_session?id_token_hint=${tokens.refresh_token}`);
    assert.equal(hint.status, 400);
    // None of this has used it up.
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: goClient };
    assert.equal((await on.post('/oidc/token', { form })).status, 200);
  });

  test('a signed refresh token must carry our signature over exactly these claims', async () => {
    const tokens = await tokensBy(on, goClient, ['/oidc/authorize', '/oidc/login/password', '/oidc/token']);
    const [header = '', payload = '', signature = ''] = tokens.refresh_token.split('.');
    const longer = { ...parseJwt(tokens.refresh_token).claims, exp: 9_999_999_999 };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const text of [
      `${header}.${encode(longer)}.${signature}`,
      `${encode({ alg: 'none', typ: 'rt+jwt' })}.${payload}.`,
      `${encode({ alg: 'none', typ: 'rt+jwt' })}.${payload}.${signature}`,
      `${header}.${payload}.${'A'.repeat(signature.length)}`,
    ]) {
      const form = { grant_type: 'refresh_token', refresh_token: text, client_id: goClient };
      assert.equal((await on.post('/oidc/token', { form })).json.error, 'invalid_grant');
    }
  });
});

describe('the second redirect', () => {
  async function hop(): Promise<string> {
    const begun = await on.get(`/oidc/authorize?${authorizationQuery({ client_id: goClient })}`);
    const location = locationOf(await submitPassword(on, idIn(begun), 'ann', password));
    assert.ok(location.startsWith(`${on.issuer}/authorize/callback?id=`), location);
    return location.slice(on.url.length);
  }

  test('reveals nothing in its address about where it leads', async () => {
    const path = await hop();
    assert.ok(!path.includes('code='));
    assert.ok(locationOf(await on.get(path)).startsWith(`${redirectUri}?code=`));
  });

  test('leads to the code, and cannot be made up', async () => {
    const path = await hop();
    const id = path.slice(path.indexOf('=') + 1);
    const authRequestId = idIn(await on.get(`/oidc/authorize?${authorizationQuery()}`));
    for (const wrong of ['', 'x', `${id}x`, id.slice(0, -1), authRequestId, 'a'.repeat(13_000)]) {
      const answer = await on.get(`/oidc/authorize/callback?id=${wrong}`);
      assert.equal(answer.status, 400, answer.text);
    }
    assert.equal((await on.get('/oidc/authorize/callback')).status, 400);
    clock.advance(MINUTE);
    assert.equal((await on.get(path)).status, 400);
  });

  test('continues a login of a browser in that browser only', async () => {
    const accept = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    const query = authorizationQuery({ client_id: goClient });
    const begun = await on.get(`/oidc/authorize?${query}`, { headers: accept });
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    const form = { id: idIn(begun), username: 'ann', password };
    const done = await on.post('/oidc/login/username', { form, headers: { ...accept, cookie } });
    const path = locationOf(done).slice(on.url.length);
    assert.equal((await on.get(path)).status, 400);
    assert.equal((await on.get(path, { headers: { ...accept, cookie } })).status, 302);
  });
});

describe('without aliases in the configuration', () => {
  test('every alias is an unknown client on every path', async () => {
    for (const clientId of [goClient, 'openziti', '']) {
      for (const path of authorizationPaths) {
        for (const method of ['GET', 'POST']) {
          const query = authorizationQuery({ client_id: clientId });
          const answer = await off.request(method, `${path}?${query}`);
          assert.equal(answer.status, 400);
          assert.equal(answer.json.error, clientId === '' ? 'invalid_request' : 'invalid_client');
        }
      }
      for (const path of [...tokenPaths, '/oidc/revoke', '/oidc/oauth/revoke']) {
        const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', client_id: clientId };
        const answer = await off.post(path, { form });
        assert.equal(answer.json.error, clientId === '' ? 'invalid_request' : 'invalid_client', path);
      }
    }
  });

  test('nothing of the profile is advertised or exists', async () => {
    const discovery = (await off.get('/oidc/.well-known/openid-configuration')).json;
    assert.deepEqual(discovery.grant_types_supported, [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    assert.equal((await off.get('/oidc/authorize/callback?id=x')).status, 404);
    for (const path of ['/version', '/edge/client/v1/version', '/edge/management/v1/version']) {
      assert.deepEqual((await off.get(path)).json.data.capabilities, []);
    }
    const withAliases = (await on.get('/oidc/.well-known/openid-configuration')).json;
    assert.deepEqual(withAliases.grant_types_supported, [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ]);
  });
});

describe('a login that an alias has begun', () => {
  test('ends when the alias is removed from the configuration', async () => {
    const first = await startCompatibleServer(clock);
    await first.createUser({ name: 'ann', password });
    const begun = await first.get(`/oidc/authorize?${authorizationQuery({ client_id: goClient })}`);
    const id = idIn(begun);
    await first.stop();
    const { host, port } = new URL(first.url);
    await using second = await startTestServer({
      clock,
      home: first.home,
      configure: (yaml) =>
        yaml.replaceAll('localhost:0', host).replaceAll('127.0.0.1:0', `127.0.0.1:${port}`),
    });
    const answer = await submitPassword(second, id, 'ann', password);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json.error.code, 'INVALID_AUTH_REQUEST');
    assert.equal((await startEnrollment(second, id)).status, 400);
    await obtainCode(second, 'ann', password);
  });
});
