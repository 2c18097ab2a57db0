// Logout, revocation, userinfo: what ends a session, and that the next call already notices.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR } from '../../src/platform/clock.ts';
import { auditedBy } from '../support/audit.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf, login, refresh, type Tokens } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const postLogout = 'http://localhost:8400/auth/logout';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const userinfo = (token: string) => server.get('/oidc/userinfo', bearer(token));

async function assertAlive({ access_token }: Tokens): Promise<void> {
  assert.equal((await userinfo(access_token)).status, 200);
}

async function assertDead({ access_token, refresh_token }: Tokens): Promise<void> {
  const answer = await userinfo(access_token);
  assert.equal(answer.status, 401);
  assert.match(String(answer.headers['www-authenticate']), /realm="overlay-oidc", error="invalid"/);
  const refreshed = await refresh(server, refresh_token);
  assert.equal(refreshed.status, 400);
  assert.equal(refreshed.json.error, 'invalid_grant');
}

describe('userinfo', () => {
  test('answers GET and POST with the subject of the ID token, and is never cached', async () => {
    const tokens = await login(server, 'alice', password);
    for (const method of ['GET', 'POST']) {
      const answer = await server.request(method, '/oidc/userinfo', bearer(tokens.access_token));
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, {
        sub: claimsOf(tokens.id_token).sub,
        name: 'alice',
        preferred_username: 'alice',
      });
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.ok(Number(answer.headers['expiration-seconds']) <= 1800);
      assert.match(String(answer.headers['expires-at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    }
  });

  test('has the user name as it is now, on every thread', async () => {
    const admin = await rootOf(server);
    const id = await server.createUser({ name: 'carla', password });
    const { access_token } = await login(server, 'carla', password);
    const shown = async () =>
      (await server.get('/oidc/userinfo', bearer(access_token))).json.preferred_username;
    assert.equal(await shown(), 'carla');
    const { data } = (await admin.get(`authenticators?filter=${encodeURIComponent(`identityId="${id}"`)}`))
      .json;
    const renamed = await admin.call('PATCH', `authenticators/${data[0].id}`, { username: 'carla.b' });
    assert.equal(renamed.status, 200, renamed.text);
    for (let time = 0; time < 4; time += 1) assert.equal(await shown(), 'carla.b');
  });

  test('without a token names both mechanisms, the older one first', async () => {
    const answer = await server.get('/oidc/userinfo');
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.lines('www-authenticate'), [
      'zt-session realm="zt-session", error="missing", error_description="no matching token was provided"',
      'Bearer realm="overlay-oidc", error="missing", error_description="no matching token was provided"',
    ]);
  });

  test('accepts the token in the header or in a form, but in one place only', async () => {
    const { access_token } = await login(server, 'alice', password);
    const post = (form: readonly (readonly [string, string])[], headers: Record<string, string> = {}) =>
      server.post('/oidc/userinfo', { form, headers });
    const answer = await post([['access_token', access_token]]);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.name, 'alice');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal((await server.get(`/oidc/userinfo?access_token=${access_token}`)).status, 401);
    assert.equal((await server.post(`/oidc/userinfo?access_token=${access_token}`)).status, 401);
    for (const form of [
      [],
      [['access_token', '']],
      [['access_token', `${access_token}x`]],
      [['token', 'x']],
    ]) {
      assert.equal((await post(form as [string, string][])).status, 401, JSON.stringify(form));
    }
    const twice = ['access_token', access_token] as const;
    assert.equal((await post([twice, twice])).status, 400);
    const both = await post([twice], { authorization: `Bearer ${access_token}` });
    assert.equal(both.status, 400);
    assert.equal(both.json.error, 'invalid_request');
    assert.equal((await post([twice], { authorization: 'Bearer x' })).status, 401);
    const inJson = await server.post('/oidc/userinfo', { json: { access_token } });
    assert.equal(inJson.status, 401, 'no form');
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await post([twice], foreign)).status, 403);
  });

  test('accepts a token in a form nowhere else', async () => {
    const { access_token } = await login(server, 'alice', password);
    const introspected = await server.post('/oidc/introspect', {
      form: { access_token, token: access_token },
    });
    assert.equal(introspected.status, 401);
  });

  test('refuses a token whose header was changed in any way, keys of the caller included', async () => {
    const { access_token } = await login(server, 'alice', password);
    const [header = '', payload, signature] = access_token.split('.');
    const original = JSON.parse(Buffer.from(header, 'base64url').toString());
    const changes = [
      { alg: 'HS256' },
      { alg: 'nOnE' },
      { crit: ['exp'] },
      { jku: 'https://evil.example' },
      { jwk: {} },
      { x5u: 'x' },
      { zip: 'DEF' },
      { kid: '../../dev/null' },
      { kid: "' OR 1=1--" },
      { kid: '__proto__' },
      { kid: ['a'] },
      { typ: 'JWT' },
      { cty: 'JWT' },
      { b64: false },
    ];
    for (const change of changes) {
      const changed = Buffer.from(JSON.stringify({ ...original, ...change })).toString('base64url');
      assert.equal(
        (await userinfo(`${changed}.${payload}.${signature}`)).status,
        401,
        JSON.stringify(change),
      );
    }
  });
});

describe('logout', () => {
  test('with a hint ends that session alone, for its tokens and their refresh', async () => {
    const [one, other] = [await login(server, 'alice', password), await login(server, 'alice', password)];
    await assertAlive(one);
    const answer = await server.get(
      `/oidc/end_session?${new URLSearchParams({ id_token_hint: one.id_token })}`,
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.json.signedOut, true);
    await assertDead(one);
    await assertAlive(other);
  });

  test('redirects to a registered URI with the state, by GET and by POST', async () => {
    for (const method of ['GET', 'POST']) {
      const tokens = await login(server, 'alice', password);
      const form = { id_token_hint: tokens.id_token, post_logout_redirect_uri: postLogout, state: 'a b' };
      const answer =
        method === 'GET'
          ? await server.get(`/oidc/end_session?${new URLSearchParams(form)}`)
          : await server.post('/oidc/end_session', { form });
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.location, `${postLogout}?state=a%20b`);
      await assertDead(tokens);
    }
  });

  test('accepts an expired hint', async () => {
    const tokens = await login(server, 'alice', password);
    clock.advance(HOUR);
    const fresh = { ...tokens, ...(await refresh(server, tokens.refresh_token)).json };
    const form = { id_token_hint: tokens.id_token, client_id: 'overlay' };
    assert.equal((await server.post('/oidc/end_session', { form })).status, 200);
    await assertDead(fresh);
  });

  test('without a hint ends nothing and redirects nowhere', async () => {
    const tokens = await login(server, 'alice', password);
    const bare = await server.get('/oidc/end_session', { headers: { accept: 'text/html' } });
    assert.equal(bare.status, 200);
    assert.match(bare.text, /You are not signed in here/);
    const redirecting = await server.get(
      `/oidc/end_session?${new URLSearchParams({ post_logout_redirect_uri: postLogout, client_id: 'overlay' })}`,
    );
    assert.equal(redirecting.status, 400);
    assert.equal(redirecting.headers.location, undefined);
    await assertAlive(tokens);
  });

  test('without a hint asks the person, who alone may answer, before it continues to a registered URI', async () => {
    const accept = 'text/html';
    const asked = { client_id: 'overlay', post_logout_redirect_uri: postLogout, state: '"><b>' };
    for (const ask of [
      () => server.get(`/oidc/end_session?${new URLSearchParams(asked)}`, { headers: { accept } }),
      // A form of the application, which cannot answer for the person.
      async () => {
        const posted = await server.post('/oidc/end_session', {
          form: { ...asked, agreed: 'yes' },
          headers: { accept, origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
        });
        assert.equal(posted.status, 303);
        return server.get(String(posted.headers.location), { headers: { accept } });
      },
      () =>
        server.get(`/oidc/end_session?${new URLSearchParams({ ...asked, agreed: 'yes' })}`, {
          headers: { accept },
        }),
    ]) {
      const answer = await ask();
      assert.equal(answer.status, 200);
      assert.match(answer.text, /Sign out\?/);
      assert.ok(answer.text.includes('name="state" value="&quot;&gt;&lt;b&gt;"'));
      assert.match(
        String(answer.headers['content-security-policy']),
        /form-action 'self' http:\/\/localhost:8400;/,
      );
    }
    const headers = { accept, origin: server.url, 'sec-fetch-site': 'same-origin' };
    const agreed = await server.post('/oidc/end_session', { form: { ...asked, agreed: 'yes' }, headers });
    assert.equal(agreed.status, 302);
    assert.equal(agreed.headers.location, `${postLogout}?state=%22%3E%3Cb%3E`);
    for (const change of [
      { client_id: 'other' },
      { client_id: '' },
      { post_logout_redirect_uri: 'https://evil.example/' },
      { post_logout_redirect_uri: `${postLogout}/x` },
    ]) {
      for (const agreement of [{}, { agreed: 'yes' }]) {
        const form = { ...asked, ...change, ...agreement };
        const answer = await server.post('/oidc/end_session', { form, headers });
        assert.equal(answer.status, 400, JSON.stringify(form));
        assert.equal(answer.headers.location, undefined);
      }
    }
  });

  test('with a hint that is not valid here, or a URI that is not registered, ends nothing and redirects nowhere', async () => {
    const tokens = await login(server, 'alice', password);
    const [header, payload] = tokens.id_token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const good = { id_token_hint: tokens.id_token, post_logout_redirect_uri: postLogout };
    const attempts: Record<string, string>[] = [
      { ...good, id_token_hint: `${none}.${payload}.` },
      { ...good, id_token_hint: `${header}.${payload}.${'A'.repeat(86)}` },
      { ...good, id_token_hint: tokens.access_token },
      { ...good, id_token_hint: 'x' },
      { ...good, client_id: 'other' },
      { ...good, post_logout_redirect_uri: `${postLogout}?x=` },
      { ...good, post_logout_redirect_uri: `${postLogout}#x` },
      { ...good, post_logout_redirect_uri: 'http://localhost:8400@evil.example/auth/logout' },
      { ...good, post_logout_redirect_uri: 'https://evil.example/' },
      { ...good, post_logout_redirect_uri: 'http://LOCALHOST:8400/auth/logout' },
      { ...good, state: 'x'.repeat(5000) },
    ];
    for (const form of attempts) {
      const answer = await server.post('/oidc/end_session', { form });
      assert.equal(answer.status, 400, JSON.stringify(form).slice(0, 200));
      assert.equal(answer.headers.location, undefined);
    }
    await assertAlive(tokens);
  });

  test('a line feed in the state cannot make a header', async () => {
    const tokens = await login(server, 'alice', password);
    const form = {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: postLogout,
      state: '\r\nset-cookie: x=1',
    };
    const answer = await server.post('/oidc/end_session', { form });
    assert.equal(answer.status, 302);
    assert.equal(answer.headers['set-cookie'], undefined);
  });
});

describe('revocation', () => {
  const revoke = (token: string, changes: Record<string, string> = {}) =>
    server.post('/oidc/revoke', { form: { token, client_id: 'overlay', ...changes } });

  test('of a refresh token ends its access tokens too', async () => {
    const tokens = await login(server, 'alice', password);
    await assertAlive(tokens);
    const answer = await revoke(tokens.refresh_token);
    assert.equal(answer.status, 200);
    await assertDead(tokens);
    const { z_asid: sessionId, sub } = claimsOf(tokens.access_token);
    const said = auditedBy(server, answer).map((event) => [
      event.event,
      event.sessionId,
      event.reason,
      event.byIdentityId,
    ]);
    assert.deepEqual(said, [['session.ended', sessionId, 'revoked', sub]]);
    assert.deepEqual(auditedBy(server, await revoke(tokens.refresh_token)), []);
  });

  test('of an access token ends its session', async () => {
    const tokens = await login(server, 'alice', password);
    assert.equal((await revoke(tokens.access_token, { token_type_hint: 'refresh_token' })).status, 200);
    await assertDead(tokens);
  });

  test('answers alike for tokens that are dead, foreign or garbage', async () => {
    const tokens = await login(server, 'alice', password);
    await revoke(tokens.refresh_token);
    for (const token of [tokens.refresh_token, tokens.access_token, tokens.id_token, 'x', 'a.b.c', '%']) {
      const answer = await revoke(token);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
    }
  });

  test('answers alike when the session is long gone', async () => {
    const { access_token, refresh_token } = await login(server, 'alice', password);
    await server.store.expiry.deleteExpired(clock.now() + 365 * DAY, 10_000);
    for (const token of [refresh_token, access_token]) assert.equal((await revoke(token)).status, 200);
  });

  test('needs a known client and a token', async () => {
    assert.equal((await revoke('x', { client_id: 'other' })).json.error, 'invalid_client');
    assert.equal((await revoke('')).json.error, 'invalid_request');
    assert.equal((await server.post('/oidc/revoke', { form: { token: 'x' } })).json.error, 'invalid_request');
  });
});

describe('an administrator', () => {
  test('disabling, deleting or demoting an identity changes its next call', async () => {
    for (const act of ['disable', 'delete'] as const) {
      const id = await server.createUser({ name: `user-${act}`, password });
      const tokens = await login(server, `user-${act}`, password);
      await assertAlive(tokens);
      if (act === 'disable')
        await server.store.identities.update(id, { disabledAt: clock.now() }, clock.now());
      else await server.store.identities.delete(id, clock.now());
      await assertDead(tokens);
    }
  });
});

test('an ended session is still ended after a restart, from the first request on', async () => {
  const first = await startTestServer();
  await first.createUser({ name: 'alice', password });
  const tokens = await login(first, 'alice', password);
  await first.post('/oidc/end_session', { form: { id_token_hint: tokens.id_token } });
  await first.stop();
  const port = new URL(first.url).port;
  await using second = await startTestServer({
    home: first.home,
    configure: (yaml) => yaml.replaceAll(':0"', `:${port}"`),
  });
  assert.equal(second.url, first.url);
  assert.equal((await second.get('/oidc/userinfo', bearer(tokens.access_token))).status, 401);
});
