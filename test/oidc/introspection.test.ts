// Token introspection (RFC 7662): who may ask, and what the answer says.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf, login, refresh, type Tokens } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { loggedIn } from '../support/management.ts';
import { loginAt, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';
import { password, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const paths = ['/oidc/introspect', '/oidc/oauth/introspect'];
const server = await serverOfFile({ clock });
await server.createUser({ name: 'root', password, isAdmin: true });

let count = 0;
async function somebody(): Promise<{ readonly id: string; readonly name: string; readonly tokens: Tokens }> {
  count += 1;
  const name = `somebody ${count}`;
  const id = await server.createUser({ name, password });
  return { id, name, tokens: await login(server, name, password) };
}

function ask(
  caller: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
  path = paths[0],
): Promise<Answer> {
  const headers = { authorization: `Bearer ${caller}` };
  return server.post(path ?? '', { headers, form: { token, ...more } });
}

async function asRoot(token: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return ask((await login(server, 'root', password)).access_token, token, more);
}

function assertInactive(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, { active: false });
}

describe('introspection', () => {
  test('is in the discovery document, with the way to authenticate', async () => {
    const { json } = await server.get('/oidc/.well-known/openid-configuration');
    assert.equal(json.introspection_endpoint, `${server.issuer}/introspect`);
    assert.deepEqual(json.introspection_endpoint_auth_methods_supported, [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'Bearer',
    ]);
  });

  test('tells an administrator whether an access token is valid', async () => {
    const { id, name, tokens } = await somebody();
    const claims = claimsOf(tokens.access_token);
    for (const path of paths) {
      const root = (await login(server, 'root', password)).access_token;
      const answer = await ask(root, tokens.access_token, {}, path);
      assert.equal(answer.status, 200);
      assert.match(answer.headers['cache-control'] ?? '', /no-store/);
      assert.deepEqual(answer.json, {
        active: true,
        token_type: 'Bearer',
        scope: 'openid offline_access',
        client_id: 'overlay',
        username: name,
        sub: id,
        aud: claims.aud,
        iss: server.issuer,
        exp: claims.exp,
        iat: claims.iat,
        jti: claims.jti,
        amr: ['password'],
        auth_time: claims.auth_time,
        z_asid: claims.z_asid,
      });
    }
  });

  test('covers refresh tokens too, without using them up', async () => {
    const { id, tokens } = await somebody();
    for (const hint of ['refresh_token', 'access_token', 'anything']) {
      const { json } = await asRoot(tokens.refresh_token, { token_type_hint: hint });
      assert.equal(json.active, true);
      assert.equal(json.sub, id);
      assert.equal('token_type' in json, false);
      assert.equal(json.exp * SECOND, clock.now() + 24 * 60 * MINUTE);
    }
    const next = (await refresh(server, tokens.refresh_token)).json;
    assertInactive(await asRoot(tokens.refresh_token));
    // Asking about a replaced token does not end the session.
    assert.equal((await asRoot(next.refresh_token)).json.active, true);
  });

  test('tells others only about their own session', async () => {
    const [one, two] = [await somebody(), await somebody()];
    const own = await ask(one.tokens.access_token, one.tokens.access_token);
    assert.equal(own.json.active, true);
    assert.equal((await ask(one.tokens.access_token, one.tokens.refresh_token)).json.active, true);
    assertInactive(await ask(one.tokens.access_token, two.tokens.access_token));
    assertInactive(await ask(one.tokens.access_token, two.tokens.refresh_token));
    const again = await login(server, one.name, password);
    assertInactive(await ask(one.tokens.access_token, again.access_token));
  });

  test('tells unauthenticated callers nothing', async () => {
    const { tokens } = await somebody();
    const form = { token: tokens.access_token, client_id: 'overlay' };
    for (const headers of [
      {},
      { authorization: `Basic ${Buffer.from('overlay:').toString('base64')}` },
      { authorization: `Bearer ${tokens.refresh_token}` },
      { authorization: `Bearer ${tokens.id_token}` },
      { authorization: 'Bearer' },
    ] as const) {
      for (const path of paths) {
        const answer = await server.post(path, { form, headers });
        assert.equal(answer.status, 401, answer.text);
        assert.ok(answer.lines('www-authenticate').length > 0);
      }
    }
  });

  test('knows at once that a session, an identity or a policy has changed', async () => {
    const wantsTotp = await totpPolicy(server);
    for (const change of [
      (id: string) => server.store.apiSessions.endAllOf(asId(id), 'administrator', clock.now()),
      (id: string) => server.store.identities.update(asId(id), { authPolicyId: wantsTotp }, clock.now()),
      (id: string) => server.store.identities.delete(asId(id), clock.now()),
    ]) {
      const { id, tokens } = await somebody();
      await change(id);
      assertInactive(await asRoot(tokens.access_token));
      assertInactive(await asRoot(tokens.refresh_token));
    }
  });

  test('knows the rules that only a refresh asks about, and leaves the access token active', async () => {
    const onlyBound = await createPolicy(server, 'only bound', { requireDpop: true });
    const caller = await loggedIn(server, 'root');
    const app = await registerClient(caller);
    const rules: Readonly<Record<string, (person: { id: string; name: string }) => Promise<unknown>>> = {
      'the policy demands keys': ({ id }) =>
        server.store.identities.update(asId(id), { authPolicyId: onlyBound }, clock.now()),
      'the client may have no refresh tokens': () =>
        caller.call('PATCH', `oidc-clients/${app.id}`, { scopes: ['openid', 'profile'] }),
    };
    for (const [name, change] of Object.entries(rules)) {
      const person = await somebody();
      const isOfApp = name.startsWith('the client');
      const { access_token, refresh_token } = isOfApp
        ? await loginAt(server, app, person.name)
        : person.tokens;
      assert.equal((await asRoot(refresh_token)).json.active, true, name);
      await change(person);
      assertInactive(await asRoot(refresh_token));
      assert.equal((await asRoot(access_token)).json.active, true, name);
      const refused = isOfApp
        ? await refreshAs(server, app, refresh_token)
        : await refresh(server, refresh_token);
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant'], name);
    }
  });

  test('calls a refresh token active with which a client that authenticates may prove its first key', async () => {
    const caller = await loggedIn(server, 'root');
    const app = await registerClient(caller);
    const { name } = await somebody();
    const { refresh_token } = await loginAt(server, app, name);
    await caller.call('PATCH', `oidc-clients/${app.id}`, { requireDpop: true });
    assert.equal((await asRoot(refresh_token)).json.active, true);
    assert.equal((await refreshAs(dpopCaller(server, clock, dpopKey()), app, refresh_token)).status, 200);
  });

  test('says inactive, and nothing more, about everything else', async () => {
    const { tokens } = await somebody();
    const [header, payload] = tokens.access_token.split('.');
    for (const token of [
      'x',
      'a.b.c',
      tokens.id_token,
      `${tokens.access_token}x`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${tokens.refresh_token.slice(0, -1)}_`,
      'a'.repeat(10_000),
    ]) {
      assertInactive(await asRoot(token));
    }
    const expiring = (await somebody()).tokens.access_token;
    clock.advance(30 * MINUTE);
    assertInactive(await asRoot(expiring));
  });

  test('needs a token, once, in a form', async () => {
    const root = (await login(server, 'root', password)).access_token;
    const headers = { authorization: `Bearer ${root}` };
    const none = await server.post('/oidc/introspect', { headers, form: {} });
    assert.equal(none.json.error, 'invalid_request');
    const twice = await server.post('/oidc/introspect', {
      headers,
      form: [
        ['token', 'a'],
        ['token', 'b'],
      ],
    });
    assert.equal(twice.json.error, 'invalid_request');
    assert.equal((await server.post('/oidc/introspect', { headers, json: { token: root } })).status, 415);
    assert.equal((await server.get(`/oidc/introspect?token=${root}`, { headers })).status, 405);
  });
});
