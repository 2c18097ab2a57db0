// Token exchange (RFC 8693) for clients of the compatibility profile: what it gives, and what it must not.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { withCertificate } from '../support/certificates.ts';
import { csrPem, ecKeys, keyPemOf } from '../support/csr.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  callWith,
  codeOf,
  locationOf,
  redirectUri,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, totpPolicy } from '../support/totp.ts';
import { goExchange } from './go-client.ts';
import { basic, cClient, goClient, parseJwt, startCompatibleServer, tokenType } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
// Without the grace: what a token that was replaced gives by itself.
const server = await startCompatibleServer(clock, {
  signing: true,
  configure: (yaml) => yaml.replace('refreshTokenGrace: 10s', 'refreshTokenGrace: 0s'),
});
after(() => server.close());

let count = 0;
async function user(): Promise<{ readonly name: string; readonly id: string }> {
  count += 1;
  const name = `user ${count}`;
  return { name, id: await server.createUser({ name, password }) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
async function loginAs(name: string, scope = 'openid offline_access', headers = {}): Promise<any> {
  const begun = await server.get(`/oidc/authorize?${authorizationQuery({ client_id: goClient, scope })}`);
  const id = new URL(locationOf(begun), server.url).searchParams.get('authRequestID') ?? '';
  const first = locationOf(await submitPassword(server, id, name, password));
  const code = codeOf(await server.get(first.slice(server.url.length)));
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: goClient,
    code_verifier: verifier,
  };
  const answer = await server.post('/oidc/token', { form, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const exchange = (subject: string, requested: 'access_token' | 'refresh_token' | 'id_token') =>
  goExchange(server, subject, 'refresh_token', requested);

function assertRefused(answer: Answer, error = 'invalid_grant'): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json.error, error, answer.text);
}

describe('exchanging a refresh token', () => {
  test('answers in the words of RFC 8693', async () => {
    const tokens = await loginAs((await user()).name);
    const { json } = await exchange(tokens.refresh_token, 'refresh_token');
    assert.deepEqual(Object.keys(json).sort(), [
      'access_token',
      'expires_in',
      'issued_token_type',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(json.issued_token_type, tokenType('refresh_token'));
    assert.equal(json.token_type, 'Bearer');
    const id = (await exchange(tokens.refresh_token, 'id_token')).json;
    assert.equal(id.issued_token_type, tokenType('id_token'));
    // Existing SDKs read it there; for other clients it is at userinfo only.
    assert.equal(typeof parseJwt(id.access_token).claims.name, 'string');
    assert.equal(id.token_type, 'N_A');
    assert.equal('refresh_token' in id, false);
    assert.equal(parseJwt(id.access_token).claims.sid, parseJwt(tokens.access_token).claims.z_asid);
    assert.equal((await callWith(server, id.access_token)).status, 401);
  });

  test('gives exactly one new refresh token, however many ask at once', async () => {
    const tokens = await loginAs((await user()).name);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchange(tokens.refresh_token, 'refresh_token')),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer);
    assert.equal((await exchange(won[0]?.json.refresh_token, 'refresh_token')).status, 200);
  });

  test('gives the replaced token nothing but an ID token', async () => {
    const tokens = await loginAs((await user()).name);
    const next = (await exchange(tokens.refresh_token, 'refresh_token')).json;
    for (const requested of ['refresh_token', 'access_token'] as const) {
      assertRefused(await exchange(tokens.refresh_token, requested));
    }
    assert.equal((await exchange(tokens.refresh_token, 'id_token')).status, 200);
    // All of that within the time of a duplicate, so that the session lives on.
    assert.equal((await exchange(next.refresh_token, 'refresh_token')).status, 200);
  });

  test('ends the session when the replaced token comes back for tokens, or late, or after another refresh', async () => {
    for (const misuse of [
      async (old: string) => {
        clock.advance(3 * SECOND);
        return exchange(old, 'refresh_token');
      },
      async (old: string) => {
        clock.advance(10 * SECOND);
        return exchange(old, 'id_token');
      },
      async (old: string, next: string) => {
        assert.equal((await exchange(next, 'refresh_token')).status, 200);
        return exchange(old, 'id_token');
      },
    ]) {
      const tokens = await loginAs((await user()).name);
      const next = (await exchange(tokens.refresh_token, 'refresh_token')).json;
      assertRefused(await misuse(tokens.refresh_token, next.refresh_token));
      assert.equal((await callWith(server, next.access_token)).status, 401);
      assertRefused(await exchange(next.refresh_token, 'refresh_token'));
    }
  });

  test('ends the session when the replaced token comes from another address', async () => {
    const tokens = await loginAs((await user()).name);
    const next = (await exchange(tokens.refresh_token, 'refresh_token')).json;
    const sessionId = asId<never>(parseJwt(tokens.access_token).claims.z_asid);
    const stored = await server.store.apiSessions.find(sessionId);
    assert.ok(stored);
    // As if the token had been replaced by a thief at another address.
    const moved = await server.store.apiSessions.renew({
      sessionId,
      clientId: goClient,
      issuer: server.issuer,
      certThumbprint: null,
      keyThumbprint: null,
      expiresAt: null,
      ipAddress: '192.0.2.77',
      now: clock.now(),
    });
    assert.equal(moved?.session.ipAddress, '192.0.2.77');
    assertRefused(await exchange(tokens.refresh_token, 'id_token'));
    assert.equal((await callWith(server, next.access_token)).status, 401);
  });

  test('uses up the token with the first request of any kind', async () => {
    const tokens = await loginAs((await user()).name);
    const id = (await exchange(tokens.refresh_token, 'id_token')).json;
    assert.equal(id.token_type, 'N_A');
    clock.advance(MINUTE);
    assert.equal((await exchange(id.refresh_token, 'refresh_token')).status, 200);
    clock.advance(MINUTE);
    assertRefused(await exchange(tokens.refresh_token, 'refresh_token'));
  });

  test('applies what has changed since the login', async () => {
    const wantsTotp = await totpPolicy(server);
    const noPasswords = await createPolicy(server, 'no passwords', {
      primary: {
        updb: {
          ...((await server.store.authPolicies.find(wantsTotp))?.primary.updb ?? assert.fail()),
          allowed: false,
        },
      },
    });
    for (const change of [
      (id: string) => server.store.identities.update(asId(id), { authPolicyId: wantsTotp }, clock.now()),
      (id: string) => server.store.identities.update(asId(id), { authPolicyId: noPasswords }, clock.now()),
      (id: string) => server.store.apiSessions.endAllOf(asId(id), 'administrator', clock.now()),
    ]) {
      const { name, id } = await user();
      const tokens = await loginAs(name);
      const withAccess = await loginAs(name, 'openid');
      await change(id);
      for (const requested of ['refresh_token', 'access_token', 'id_token'] as const) {
        assertRefused(await exchange(tokens.refresh_token, requested));
        assertRefused(await goExchange(server, withAccess.access_token, 'access_token', requested));
      }
    }
  });

  test('narrows the scope but never widens it', async () => {
    const { name } = await user();
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const headers = { authorization: basic(goClient) };
    const access = {
      grant_type,
      subject_token: (await loginAs(name, 'openid')).access_token,
      subject_token_type: tokenType('access_token'),
    };
    const wider = { ...access, scope: 'openid offline_access' };
    assertRefused(await server.post('/oidc/token', { form: wider, headers }), 'invalid_scope');
    const form = {
      grant_type,
      subject_token: (await loginAs(name)).refresh_token,
      subject_token_type: tokenType('refresh_token'),
    };
    const narrow = await server.post('/oidc/token', { form: { ...form, scope: 'openid' }, headers });
    assert.equal(narrow.json.scope, 'openid');
    assert.equal(parseJwt(narrow.json.access_token).claims.scope, 'openid');
  });
});

describe('exchanging an access token', () => {
  const renew = (subject: string, requested: 'access_token' | 'refresh_token' | 'id_token') =>
    goExchange(server, subject, 'access_token', requested);

  test('gives the next access token, and no refresh token, until a refresh token would have ended', async () => {
    let { access_token } = await loginAs((await user()).name, 'openid');
    const begun = clock.now();
    for (;;) {
      clock.advance(25 * MINUTE);
      const answer = await renew(access_token, 'refresh_token');
      if (clock.now() >= begun + 24 * HOUR) {
        assertRefused(answer);
        break;
      }
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.issued_token_type, tokenType('access_token'));
      assert.equal('refresh_token' in answer.json, false);
      access_token = answer.json.access_token;
      assert.equal((await callWith(server, access_token)).status, 200);
    }
  });

  test('gives a session that a browser opened an ID token only', async () => {
    const page = { 'sec-fetch-site': 'same-origin' };
    const { access_token } = await loginAs((await user()).name, 'openid', page);
    for (const requested of ['access_token', 'refresh_token'] as const)
      assertRefused(await renew(access_token, requested));
    assert.equal((await renew(access_token, 'id_token')).status, 200);
  });

  test('ends with the session, whose new tokens the end reaches', async () => {
    const { name, id } = await user();
    const tokens = await loginAs(name, 'openid');
    clock.advance(25 * MINUTE);
    const next = (await renew(tokens.access_token, 'access_token')).json.access_token;
    clock.advance(10 * MINUTE);
    assert.equal(await server.store.apiSessions.endAllOf(asId(id), 'administrator', clock.now()), 1);
    assert.equal((await callWith(server, next)).status, 401);
    for (const requested of ['access_token', 'refresh_token', 'id_token'] as const) {
      assertRefused(await renew(next, requested));
    }
  });

  test('gives a session with a refresh token an ID token only', async () => {
    const tokens = await loginAs((await user()).name);
    assertRefused(await renew(tokens.access_token, 'access_token'));
    assertRefused(await renew(tokens.access_token, 'refresh_token'));
    const id = await renew(tokens.access_token, 'id_token');
    assert.equal(id.json.token_type, 'N_A');
  });

  test('gives no scope that was left out of the token before', async () => {
    const { refresh_token } = await loginAs((await user()).name);
    const form = { grant_type: 'refresh_token', refresh_token, client_id: goClient };
    const narrow = await server.post('/oidc/token', { form: { ...form, scope: 'offline_access' } });
    const subject = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: goClient,
      subject_token: narrow.json.access_token,
      subject_token_type: tokenType('access_token'),
      requested_token_type: tokenType('id_token'),
    };
    const wider = await server.post('/oidc/token', { form: { ...subject, scope: 'openid' } });
    assertRefused(wider, 'invalid_scope');
    assert.equal((await server.post('/oidc/token', { form: subject })).json.scope, 'offline_access');
  });

  test('refuses one that has expired, or is of another client', async () => {
    const tokens = await loginAs((await user()).name, 'openid');
    const other = await server.post('/oidc/token', {
      headers: { authorization: basic(cClient) },
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: tokens.access_token,
        subject_token_type: tokenType('access_token'),
      },
    });
    assertRefused(other);
    clock.advance(30 * MINUTE);
    assertRefused(await renew(tokens.access_token, 'access_token'));
  });
});

describe('a malformed exchange', () => {
  test('is refused as such, and nothing is used up', async () => {
    const tokens = await loginAs((await user()).name);
    const good = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: tokens.refresh_token,
      subject_token_type: tokenType('refresh_token'),
    };
    const headers = { authorization: basic(goClient) };
    for (const change of [
      { subject_token: '' },
      { subject_token_type: '' },
      { subject_token_type: tokenType('id_token') },
      { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
      { requested_token_type: 'urn:ietf:params:oauth:token-type:saml2' },
      { actor_token: 'x', actor_token_type: tokenType('access_token') },
      { audience: 'another' },
      { resource: 'https://another.example' },
    ]) {
      assertRefused(
        await server.post('/oidc/token', { form: { ...good, ...change }, headers }),
        'invalid_request',
      );
    }
    const twice = [...Object.entries(good), ['subject_token', 'x']] as const;
    const repeated = twice.map(([name, value]) => [name ?? '', value ?? ''] as const);
    assertRefused(await server.post('/oidc/token', { form: repeated, headers }), 'invalid_request');
    for (const wrongType of ['access_token'] as const) {
      assertRefused(await goExchange(server, tokens.refresh_token, wrongType, 'refresh_token'));
    }
    for (const authorization of [
      `Basic ${Buffer.from(`${goClient}:secret`).toString('base64')}`,
      basic('stranger'),
    ]) {
      const answer = await server.post('/oidc/token', { form: good, headers: { authorization } });
      assert.equal(answer.status, 401);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /);
    }
    const conflicting = await server.post('/oidc/token', { form: { ...good, client_id: cClient }, headers });
    assert.equal(conflicting.json.error, 'invalid_client');
    assert.equal((await server.post('/oidc/token', { form: good, headers })).status, 200);
  });
});

describe('csr_pem', () => {
  const keys = ecKeys();

  test('returns a session certificate with an access token, not with an ID token', async () => {
    for (const type of ['refresh_token', 'access_token'] as const) {
      const scope = type === 'refresh_token' ? 'openid offline_access' : 'openid';
      const ask = async (requested: 'access_token' | 'id_token', csr: string) => {
        const tokens = await loginAs((await user()).name, scope);
        return goExchange(server, tokens[type], type, requested, { csr_pem: csr });
      };
      const { json } = await ask('access_token', csrPem(keys));
      assert.equal(typeof json.session_cert, 'string', JSON.stringify(json));
      const connection = withCertificate(server, { certPem: json.session_cert, keyPem: keyPemOf(keys) });
      assert.equal((await callWith(connection, json.access_token)).status, 200);
      connection.closeConnections();
      const idToken = await ask('id_token', csrPem(keys));
      assert.deepEqual([idToken.status, 'session_cert' in idToken.json], [200, false]);
    }
  });

  test('that is invalid uses nothing up', async () => {
    const tokens = await loginAs((await user()).name);
    const bad = await goExchange(server, tokens.refresh_token, 'refresh_token', 'refresh_token', {
      csr_pem: 'abc',
    });
    assertRefused(bad, 'invalid_request');
    assert.equal((await exchange(tokens.refresh_token, 'refresh_token')).status, 200);
  });
});
