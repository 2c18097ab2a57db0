import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from 'jose';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf, login, refresh } from '../support/flow.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';

describe('the discovery document', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  test('is the same at each of its paths, and its issuer is the prefix of one', async () => {
    const prefixed = await server.get('/oidc/.well-known/openid-configuration');
    assert.match(String(prefixed.headers['content-type']), /^application\/json/);
    assert.equal(prefixed.json.issuer, `${server.url}/oidc`);
    // For clients that know OAuth only, the path of the issuer follows the well-known one (RFC 8414 3.1).
    for (const path of ['openid-configuration', 'oauth-authorization-server/oidc']) {
      const answer = await server.get(`/.well-known/${path}`);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.text, prefixed.text, path);
    }
  });

  test('lists only what works', async () => {
    const document = (await server.get('/oidc/.well-known/openid-configuration')).json;
    assert.deepEqual(document.response_types_supported, ['code']);
    assert.deepEqual(document.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(document.grant_types_supported, [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    // pac4j takes the first, whatever it was given.
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
    assert.deepEqual(document.token_endpoint_auth_methods_supported, methods);
    assert.deepEqual(document.revocation_endpoint_auth_methods_supported, methods);
    assert.deepEqual(document.scopes_supported, ['openid', 'offline_access']);
    assert.equal(document.request_uri_parameter_supported, false);
    assert.equal(document.authorization_response_iss_parameter_supported, true);
    for (const [name, url] of Object.entries(document)) {
      if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
      const path = new URL(String(url)).pathname;
      const answers = [await server.get(path), await server.post(path)];
      assert.ok(
        answers.some(({ status }) => status !== 404 && status !== 405),
        name,
      );
    }
  });

  test('names the login endpoints, and the languages of the pages', async () => {
    const document = (await server.get('/oidc/.well-known/openid-configuration')).json;
    assert.deepEqual(document.ui_locales_supported, ['en', 'de']);
    const endpoints: Readonly<Record<string, string>> = document.overlay_login_endpoints;
    assert.deepEqual(Object.keys(endpoints), [
      'username',
      'cert',
      'ext-jwt',
      'passkey',
      'auth-queries',
      'totp',
      'totp/enroll',
      'totp/enroll/verify',
    ]);
    for (const [step, url] of Object.entries(endpoints)) {
      assert.equal(url, `${server.issuer}/login/${step}`);
      const { pathname } = new URL(url);
      const answers = [await server.get(pathname), await server.post(pathname)];
      assert.ok(
        answers.some(({ status }) => status !== 404 && status !== 405),
        step,
      );
    }
  });

  test('and the keys may be read by scripts of every origin, and nothing else may', async () => {
    const headers = { origin: 'https://anybody.example' };
    for (const path of [
      '/.well-known/openid-configuration',
      '/oidc/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/oidc',
      '/oidc/keys',
    ]) {
      for (const init of [{}, { headers }]) {
        const answer = await server.get(path, init);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['access-control-allow-origin'], '*', path);
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      }
      const preflight = await server.request('OPTIONS', path, {
        headers: { ...headers, 'access-control-request-method': 'GET' },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      const posted = await server.post(path, { headers });
      assert.notEqual(posted.status, 200);
      const misdirected = await server.get(path, { headers: { ...headers, host: 'evil.example' } });
      assert.equal(misdirected.headers['access-control-allow-origin'], undefined);
    }
    const userinfo = await server.get('/oidc/userinfo', { headers });
    assert.equal(userinfo.headers['access-control-allow-origin'], undefined);
  });

  test('is not served for a host that the configuration does not name', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', 'localhost:1']) {
      const answer = await server.get('/oidc/.well-known/openid-configuration', { headers: { host } });
      assert.ok([400, 421].includes(answer.status), `${host}: ${answer.status}`);
      assert.ok(!answer.text.includes('token_endpoint'));
    }
    for (const header of ['x-forwarded-host', 'forwarded', 'x-original-host']) {
      const answer = await server.get('/oidc/.well-known/openid-configuration', {
        headers: { [header]: 'host=evil.example' },
      });
      assert.equal(answer.json.issuer, server.issuer);
    }
  });
});

describe('the signing keys', () => {
  test('are public parts only, named by their RFC 7638 thumbprint', async () => {
    await using server = await startTestServer();
    const answer = await server.get('/oidc/keys');
    assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    assert.ok(answer.json.keys.length > 0);
    for (const key of answer.json.keys) {
      assert.equal(key.kid, await calculateJwkThumbprint(key));
      assert.equal(key.use, 'sig');
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(secret in key, false);
    }
  });

  for (const alg of ['ES256', 'RS256', 'EdDSA']) {
    test(`sign ID tokens with ${alg} when the configuration says so`, async () => {
      await using server = await startTestServer({
        configure: (yaml) => yaml.replace(/idTokenSigningAlg: \w+/, `idTokenSigningAlg: ${alg}`),
      });
      await server.createUser({ name: 'alice', password });
      const { id_token, access_token } = await login(server, 'alice', password);
      const keys = createLocalJWKSet((await server.get('/oidc/keys')).json);
      const { protectedHeader } = await jwtVerify(id_token, keys, {
        issuer: server.issuer,
        audience: 'overlay',
      });
      assert.equal(protectedHeader.alg, alg);
      await jwtVerify(access_token, keys, { issuer: server.issuer, typ: 'at+jwt' });
      const document = (await server.get('/oidc/.well-known/openid-configuration')).json;
      const always = ['ES256', 'RS256'];
      const listed = alg === 'EdDSA' ? [...always, alg] : always;
      assert.deepEqual(document.id_token_signing_alg_values_supported, listed);
      const available = (await server.get('/oidc/keys')).json.keys.map((key: { alg: string }) => key.alg);
      assert.deepEqual(available.sort(), listed.sort());
    });
  }

  test('rotate with overlap: the next one is published before it signs, the old one stays until its tokens have ended, and a day for logouts', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    await using server = await startTestServer({ clock });
    await server.createUser({ name: 'alice', password });
    const published = async () =>
      (await server.get('/oidc/keys')).json.keys
        .filter(({ alg }: { alg: string }) => alg === 'ES256')
        .map(({ kid }: { kid: string }) => kid);
    const signedBy = (jwt: string) =>
      JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid;
    const [first] = await published();

    clock.advance(30 * DAY - 11 * MINUTE);
    let tokens = await login(server, 'alice', password);
    await server.controller.services.rotateKeysWhenDue();
    assert.deepEqual(await published(), [first]);

    clock.advance(MINUTE);
    await server.controller.services.rotateKeysWhenDue();
    const both = await published();
    assert.equal(both.length, 2);
    tokens = (await refresh(server, tokens.refresh_token)).json;
    assert.equal(signedBy(tokens.access_token), first);

    clock.advance(10 * MINUTE);
    const old = tokens;
    tokens = (await refresh(server, tokens.refresh_token)).json;
    assert.equal(signedBy(tokens.access_token), both[1]);
    assert.equal(signedBy(tokens.id_token), both[1]);
    const userinfo = (token: string) =>
      server.get('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await userinfo(old.access_token)).status, 200);
    assert.deepEqual(await published(), both);

    // An application has kept the ID token of its login, and got no other.
    clock.advance(3 * HOUR);
    const hint = { id_token_hint: old.id_token };
    assert.deepEqual((await server.post('/oidc/end_session', { form: hint })).json, { signedOut: true });
    clock.advance(23 * HOUR);
    assert.deepEqual(await published(), [both[1]]);
    assert.ok(claimsOf(tokens.access_token).exp * 1000 < clock.now());
  });
});
