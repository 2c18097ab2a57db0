import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  claimsOf,
  codeOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });
await server.createUser({ name: 'bob', password });

function assertRefused(answer: Answer, error: string, status = 400): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error, error);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
  assert.equal(answer.json.access_token, undefined);
}

const userinfo = (token: string) =>
  server.get('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } });

describe('redeeming a code', () => {
  test('gives the token response of the specification', async () => {
    const answer = await redeem(server, await obtainCode(server, 'alice', password));
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers.pragma, 'no-cache');
    const tokens = answer.json;
    assert.equal(tokens.token_type, 'Bearer');
    assert.equal(tokens.expires_in, 1800);
    assert.equal(tokens.scope, 'openid offline_access');
    assert.equal(tokens.refresh_token.split('.').length, 1);
  });

  test('gives an access token with the claims of the controller', async () => {
    const { access_token } = await login(server, 'alice', password, { configTypes: 'ct-1' });
    const header = JSON.parse(Buffer.from(access_token.split('.')[0] ?? '', 'base64url').toString());
    assert.equal(header.typ, 'at+jwt');
    assert.equal(header.alg, 'ES256');
    const claims = claimsOf(access_token);
    assert.equal(claims.iss, server.issuer);
    assert.notEqual(claims.aud, 'overlay');
    assert.equal(claims.exp - claims.iat, 1800);
    assert.equal(claims.client_id, 'overlay');
    assert.equal(claims.z_t, 'a');
    assert.equal(claims.z_ia, false);
    assert.deepEqual(claims.z_ct, ['ct-1']);
    assert.equal(claims.z_ice, false);
    assert.deepEqual(claims.amr, ['password']);
    for (const name of ['sub', 'jti', 'z_asid', 'acr', 'scope'])
      assert.equal(typeof claims[name], 'string', name);
    assert.equal(claims.auth_time, Math.floor(clock.now() / 1000));
  });

  test('puts these claims and no others into the tokens of a password login', async () => {
    const { access_token, id_token } = await login(server, 'alice', password);
    const common = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'amr', 'acr'];
    const ofAccess = ['nbf', 'jti', 'client_id', 'scope', 'z_asid', 'z_ia', 'z_ct', 'z_t', 'z_ice'];
    assert.deepEqual(Object.keys(claimsOf(access_token)).sort(), [...common, ...ofAccess].sort());
    const ofId = ['nonce', 'azp', 'at_hash', 'sid'];
    assert.deepEqual(Object.keys(claimsOf(id_token)).sort(), [...common, ...ofId].sort());
    const { at_hash } = claimsOf(id_token);
    const half = createHash('sha256').update(access_token).digest().subarray(0, 16);
    assert.equal(at_hash, half.toString('base64url'), 'OpenID Connect Core section 3.1.3.6');
  });

  test('gives an ID token for the client, with the nonce and without the claims of the controller', async () => {
    const { id_token, access_token } = await login(server, 'alice', password);
    const claims = claimsOf(id_token);
    assert.equal(claims.aud, 'overlay');
    assert.equal(claims.azp, 'overlay');
    assert.equal(claims.nonce, 'n1');
    assert.equal(claims.sid, claimsOf(access_token).z_asid);
    assert.deepEqual(
      Object.keys(claims).filter((name) => name.startsWith('z_')),
      [],
    );
  });

  test('gives no refresh token when offline_access was not requested', async () => {
    const tokens = await login(server, 'alice', password, { scope: 'openid' });
    assert.equal('refresh_token' in tokens, false);
  });

  test('a second time is refused and ends the session that the first one opened', async () => {
    const code = await obtainCode(server, 'alice', password);
    const { access_token, refresh_token } = (await redeem(server, code)).json;
    assert.equal((await userinfo(access_token)).status, 200);
    assertRefused(await redeem(server, code), 'invalid_grant');
    const called = await userinfo(access_token);
    assert.equal(called.status, 401);
    assert.deepEqual(called.lines('www-authenticate'), [
      'Bearer realm="overlay-oidc", error="invalid", error_description="token is invalid"',
    ]);
    assertRefused(await refresh(server, refresh_token), 'invalid_grant');
  });

  test('by 32 requests at once succeeds once, and then even the winner is ended', async () => {
    const code = await obtainCode(server, 'alice', password);
    const answers = await Promise.all(Array.from({ length: 32 }, () => redeem(server, code)));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 'invalid_grant');
    assert.equal((await userinfo(winners[0]?.json.access_token)).status, 401);
  });

  test('after a minute is refused', async () => {
    const inTime = await obtainCode(server, 'alice', password);
    clock.advance(60 * SECOND - 1);
    assert.equal((await redeem(server, inTime)).status, 200);
    const late = await obtainCode(server, 'alice', password);
    clock.advance(60 * SECOND);
    assertRefused(await redeem(server, late), 'invalid_grant');
  });

  test('with a wrong binding is refused in one way, and does not use the code up', async () => {
    const code = await obtainCode(server, 'alice', password);
    const other = 'x'.repeat(43);
    const wrong = [
      { redirect_uri: 'http://localhost:8401/auth/callback' },
      { redirect_uri: 'http://localhost:8400/auth/callback/' },
      { code_verifier: other },
      { code_verifier: `${verifier.slice(0, -1)}X` },
    ];
    const bodies = new Set<string>();
    for (const changes of wrong) {
      const answer = await redeem(server, code, changes);
      assertRefused(answer, 'invalid_grant');
      bodies.add(answer.text);
    }
    bodies.add((await redeem(server, 'A'.repeat(91))).text);
    assert.equal(bodies.size, 1);
    assert.equal((await redeem(server, code)).status, 200);
  });

  test('no longer works after five wrong bindings', async () => {
    const code = await obtainCode(server, 'alice', password);
    for (let round = 0; round < 5; round += 1) await redeem(server, code, { code_verifier: 'x'.repeat(43) });
    assertRefused(await redeem(server, code), 'invalid_grant');
  });

  test('that was cut, lengthened or is of another kind is refused', async () => {
    const code = await obtainCode(server, 'alice', password);
    const { refresh_token } = await login(server, 'alice', password);
    for (const text of [
      code.slice(0, -1),
      code.slice(0, -20),
      `${code}A`,
      code.toUpperCase(),
      `${code}%20`,
      refresh_token,
      await beginLogin(server),
    ]) {
      assertRefused(await redeem(server, text), 'invalid_grant');
    }
    assert.equal((await redeem(server, code)).status, 200);
  });
});

describe('the token endpoint', () => {
  test('names what is missing, unknown or repeated', async () => {
    const code = await obtainCode(server, 'alice', password);
    for (const name of ['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier']) {
      const answer = await redeem(server, code, { [name]: null });
      assertRefused(answer, 'invalid_request');
      assert.match(answer.json.error_description, new RegExp(name));
      assertRefused(await redeem(server, code, { [name]: '' }), 'invalid_request');
      assertRefused(await redeem(server, code, {}, [[name, 'x']]), 'invalid_request');
    }
    assertRefused(await redeem(server, code, { client_id: 'other' }), 'invalid_client');
    assertRefused(await redeem(server, code, { client_id: '__proto__' }), 'invalid_client');
    for (const grant of [
      'password',
      'client_credentials',
      'implicit',
      'toString',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ]) {
      assertRefused(await redeem(server, code, { grant_type: grant }), 'unsupported_grant_type');
    }
    assert.equal((await redeem(server, code)).status, 200);
  });

  test('ignores parameters that it does not use, even when they are repeated', async () => {
    const code = await obtainCode(server, 'alice', password);
    assert.equal(
      (
        await redeem(server, code, {}, [
          ['state', 'a'],
          ['state', 'b'],
        ])
      ).status,
      200,
    );
  });

  test('accepts POST and forms only, and never reads the query', async () => {
    const code = await obtainCode(server, 'alice', password);
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH']) {
      const answer = await server.request(method, '/oidc/token');
      assert.equal(answer.status, 405, method);
      assert.match(answer.headers.allow ?? '', /POST/);
    }
    assert.equal(
      (await server.post('/oidc/token', { json: { grant_type: 'authorization_code', code } })).status,
      415,
    );
    const inQuery = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: 'overlay' });
    assertRefused(await server.post(`/oidc/token?${inQuery}`), 'invalid_request');
  });

  test('accepts the id of the public client by Basic with an empty secret, and refuses a secret', async () => {
    const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
    const form = async () => ({
      grant_type: 'authorization_code',
      code: await obtainCode(server, 'alice', password),
      redirect_uri: 'http://localhost:8400/auth/callback',
      code_verifier: verifier,
    });
    assert.equal(
      (await server.post('/oidc/token', { form: await form(), headers: basic('overlay:') })).status,
      200,
    );
    const refused = await server.post('/oidc/token', {
      form: await form(),
      headers: basic('overlay:secret'),
    });
    assertRefused(refused, 'invalid_client', 401);
    assert.match(refused.headers['www-authenticate'] ?? '', /^Basic /);
  });
});

describe('refreshing', () => {
  test('gives new tokens of the same session and invalidates the old refresh token', async () => {
    const first = await login(server, 'alice', password);
    clock.advance(5 * MINUTE);
    const answer = await refresh(server, first.refresh_token);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const second = answer.json;
    assert.notEqual(second.refresh_token, first.refresh_token);
    const [before, now] = [claimsOf(first.id_token), claimsOf(second.id_token)];
    for (const name of ['iss', 'sub', 'aud', 'azp', 'auth_time', 'sid'])
      assert.deepEqual(now[name], before[name], name);
    assert.ok(now.iat > before.iat);
    assert.equal(claimsOf(second.access_token).z_asid, claimsOf(first.access_token).z_asid);
    assert.equal((await userinfo(second.access_token)).status, 200);
  });

  test('with a token that was used before ends the whole family', async () => {
    const first = await login(server, 'alice', password);
    const second = (await refresh(server, first.refresh_token)).json;
    clock.advance(3 * SECOND);
    assertRefused(await refresh(server, first.refresh_token), 'invalid_grant');
    assertRefused(await refresh(server, second.refresh_token), 'invalid_grant');
    assert.equal((await userinfo(second.access_token)).status, 401);
  });

  test('by many requests at once succeeds once', async () => {
    for (const count of [2, 16, 64]) {
      const { refresh_token } = await login(server, 'alice', password);
      const answers = await Promise.all(Array.from({ length: count }, () => refresh(server, refresh_token)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    }
  });

  test('ignores scopes that do not exist, as the authorization endpoint did', async () => {
    const scope = 'openid profile email offline_access no\u00a0such';
    const first = await login(server, 'alice', password, { scope });
    const again = (await refresh(server, first.refresh_token, { scope })).json;
    assert.equal(again.scope, 'openid offline_access');
    // Nothing remains of it, as if it had never been sent.
    const none = (await refresh(server, again.refresh_token, { scope: 'profile email' })).json;
    assert.equal(none.scope, 'openid offline_access');
    assert.equal(claimsOf(none.access_token).scope, 'openid offline_access');
  });

  test('narrows the scope when asked and never widens it', async () => {
    const { refresh_token } = await login(server, 'alice', password);
    const narrowed = (await refresh(server, refresh_token, { scope: 'openid' })).json;
    assert.equal(narrowed.scope, 'openid');
    assert.equal(claimsOf(narrowed.access_token).scope, 'openid');
    assert.equal((await refresh(server, narrowed.refresh_token)).json.scope, 'openid offline_access');
  });

  test('works until the absolute end of the family and not beyond', async () => {
    let { refresh_token } = await login(server, 'alice', password);
    let rounds = 0;
    for (;;) {
      clock.advance(23 * HOUR);
      const answer = await refresh(server, refresh_token);
      if (answer.status !== 200) break;
      refresh_token = answer.json.refresh_token;
      rounds += 1;
    }
    assert.equal(rounds, Math.ceil((30 * DAY) / (23 * HOUR)) - 1);
  });

  test('with anything but one of our refresh tokens is refused', async () => {
    const { access_token, id_token, refresh_token } = await login(server, 'alice', password);
    const code = codeOf(await submitPassword(server, await beginLogin(server), 'alice', password));
    const others = [
      'x',
      access_token,
      id_token,
      code,
      refresh_token.slice(0, -1),
      refresh_token.slice(0, -8),
      `${refresh_token}A`,
      `B${refresh_token.slice(1)}`,
    ];
    for (const text of others) assertRefused(await refresh(server, text), 'invalid_grant');
    assertRefused(await refresh(server, refresh_token, { client_id: 'other' }), 'invalid_client');
    const form = { grant_type: 'refresh_token', client_id: 'overlay' };
    const missing = await server.post('/oidc/token', { form });
    assertRefused(missing, 'invalid_request');
    assert.match(missing.json.error_description, /refresh_token/);
    assert.equal((await refresh(server, refresh_token)).status, 200);
  });
});
