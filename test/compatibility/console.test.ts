// The conversation of the console: scripts in a browser, on the controller's own origin or on another one.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/digest.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, password, totpPolicy } from '../support/totp.ts';
import { cClient, goClient, pathOf, startCompatibleServer } from './support.ts';

const origin = 'https://console.example.com';
const redirectUri = `${origin}/auth/callback`;
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);

/** The console is one of the applications to which codes may be sent. */
function withConsole(yaml: string): string {
  const changed = yaml.replace(/^( *)- binding: edge-client.*$/m, (line, indent: string) =>
    [
      line,
      `${indent}- binding: edge-oidc`,
      `${indent}  options: { redirectURIs: ["${redirectUri}", "http://localhost:*/auth/callback"] }`,
    ].join('\n'),
  );
  assert.notEqual(changed, yaml);
  return changed;
}

let server: TestServer;
before(async () => {
  server = await startCompatibleServer(clock, { configure: withConsole });
  await server.createUser({ name: 'operator', password, isAdmin: true });
});
after(() => server?.close());

/** fetch() of a page of another origin: no cookies; every answer on the way has to be readable. */
async function fetchAs(
  method: 'GET' | 'POST',
  path: string,
  init: RequestInit = {},
): Promise<{ readonly answer: Answer; readonly url: string }> {
  const headers = {
    origin,
    accept: 'application/json',
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-dest': 'empty',
    ...init.headers,
  };
  let answer = await server.request(method, path, { ...init, headers });
  let url = new URL(path, server.url).toString();
  for (;;) {
    assert.equal(answer.headers['access-control-allow-origin'], origin, `${answer.status} of ${url}`);
    const { location } = answer.headers;
    if (location === undefined) return { answer, url };
    url = new URL(location, server.url).toString();
    // The page of the application itself, which is not ours.
    if (url.startsWith(redirectUri)) return { answer, url };
    answer = await server.get(pathOf(url), { headers });
  }
}

interface Begun {
  readonly clientId: string;
  readonly id: string;
  readonly verifier: string;
}

/** The first of the two client ids that is known. */
async function begin(): Promise<Begun> {
  const verifier = randomBytes(40).toString('base64url');
  for (const clientId of [cClient, goClient]) {
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      state: 'console-state',
      nonce: 'console-nonce',
      code_challenge: sha256(verifier),
      code_challenge_method: 'S256',
    });
    const { answer, url } = await fetchAs('GET', `/oidc/authorize?${query}`);
    const id =
      new URL(url).searchParams.get('authRequestID') ?? String(answer.headers['auth-request-id'] ?? '');
    if (id !== '') return { clientId, id, verifier };
  }
  throw new Error('no client id of the console is known');
}

const submit = (path: string, form: Readonly<Record<string, string>>) =>
  fetchAs('POST', `/oidc/login/${path}`, { form });

async function tokensOf({ clientId, verifier }: Begun, url: string): Promise<Answer> {
  assert.ok(url.startsWith(redirectUri), url);
  const back = new URL(url).searchParams;
  assert.equal(back.get('state'), 'console-state');
  const { answer } = await fetchAs('POST', '/oidc/oauth/token', {
    form: {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

describe('the console', () => {
  test('reads where everything is, also from another origin', async () => {
    const { answer } = await fetchAs('GET', '/edge/management/v1/version');
    const { apiVersions, capabilities } = answer.json.data;
    for (const name of ['edge', 'edge-management', 'edge-client', 'edge-oidc']) {
      assert.ok(apiVersions[name].v1.path, name);
    }
    assert.deepEqual(capabilities, ['OIDC_AUTH']);
  });

  test('may call from its origin what it calls', async () => {
    const answer = await server.request('OPTIONS', '/edge/management/v1/identities', {
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type,zt-session,accept',
      },
    });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['access-control-allow-origin'], origin);
    const allowed = String(answer.headers['access-control-allow-headers']);
    for (const name of ['authorization', 'content-type', 'zt-session', 'accept']) {
      assert.ok(allowed.includes(name), name);
    }
    const methods = String(answer.headers['access-control-allow-methods']);
    for (const name of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) assert.ok(methods.includes(name), name);
    const exposed = (await fetchAs('GET', '/version')).answer.headers['access-control-expose-headers'];
    assert.ok(String(exposed).includes('auth-request-id'));
  });

  test('logs in with a password, works, refreshes, and logs out', async () => {
    const login = await begin();
    assert.equal(login.clientId, cClient);
    const form = { id: login.id, username: 'operator', password };
    const { url } = await submit('username', form);
    const tokens = (await tokensOf(login, url)).json;
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const list = await fetchAs('GET', '/edge/management/v1/identities', bearer(tokens.access_token));
    assert.equal(list.answer.status, 200);

    clock.advance(HOUR);
    const expired = await fetchAs('GET', '/edge/management/v1/identities', bearer(tokens.access_token));
    assert.equal(expired.answer.status, 401);
    const refreshed = await fetchAs('POST', '/oidc/oauth/token', {
      form: { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: cClient },
    });
    assert.equal(refreshed.answer.status, 200, refreshed.answer.text);
    const next = refreshed.answer.json;
    const again = await fetchAs('GET', '/edge/management/v1/identities', bearer(next.access_token));
    assert.equal(again.answer.status, 200);

    const logout = await fetchAs('POST', '/oidc/oauth/revoke', {
      form: { token: next.refresh_token, token_type_hint: 'refresh_token', client_id: cClient },
    });
    assert.equal(logout.answer.status, 200);
    const gone = await fetchAs('GET', '/edge/management/v1/identities', bearer(next.access_token));
    assert.equal(gone.answer.status, 401);
  });

  test('shows the message of a wrong password, and asks again for a wrong code', async () => {
    await createTotpUser(server, await totpPolicy(server), 'console-totp');
    const { app } = await enroll(server, clock, 'console-totp');
    const login = await begin();
    const wrong = await submit('username', { id: login.id, username: 'console-totp', password: 'wrong' });
    assert.equal(wrong.answer.status, 401);
    assert.equal(typeof wrong.answer.json.error.message, 'string');

    const partial = await submit('username', { id: login.id, username: 'console-totp', password });
    assert.equal(partial.answer.status, 200);
    const [query] = partial.answer.json.authQueries;
    assert.deepEqual([query.typeId, query.isTotpEnrolled], ['TOTP', true]);
    const refused = await submit('totp', { id: login.id, code: app.wrongCode() });
    assert.equal(refused.answer.status, 400);
    assert.equal(typeof refused.answer.json.error.message, 'string');
    const { url } = await submit('totp', { id: login.id, code: app.code() });
    await tokensOf(login, url);
  });

  test('is told that an identity has to enroll TOTP elsewhere', async () => {
    await createTotpUser(server, await totpPolicy(server), 'console-unenrolled');
    const login = await begin();
    const form = { id: login.id, username: 'console-unenrolled', password };
    const { answer } = await submit('username', form);
    assert.equal(answer.json.authQueries[0].isTotpEnrolled, false);
  });

  test('takes the second client id where the first is unknown', async () => {
    const other = server;
    server = await startTestServer({
      clock,
      configure: (yaml) => withConsole(yaml.replace('clientIds: []', `clientIds: [${goClient}]`)),
    });
    try {
      assert.equal((await begin()).clientId, goClient);
    } finally {
      await server.close();
      server = other;
    }
  });

  test('asks for fabric endpoints in vain, and learns so in JSON', async () => {
    for (const path of ['/fabric/v1/cluster/list-members', '/fabric/v1/routers']) {
      const answer = await server.get(path, { headers: { accept: 'application/json' } });
      assert.equal(answer.status, 404);
      assert.equal(answer.json.error.code, 'NOT_FOUND');
    }
  });

  test('falls back to a legacy session', async () => {
    const { answer } = await fetchAs('POST', '/edge/management/v1/authenticate?method=password', {
      json: { username: 'operator', password },
    });
    assert.equal(answer.status, 200);
    const headers = { 'zt-session': answer.json.data.token };
    const list = await fetchAs('GET', '/edge/management/v1/identities', { headers });
    assert.equal(list.answer.status, 200);
  });
});
