// Bound tokens where the protocol has more than codes and refresh tokens: pushed requests, exchanges, other clients,
// introspection, and proxies that ask who is calling.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { goExchange } from '../compatibility/go-client.ts';
import { goClient, startCompatibleServer } from '../compatibility/support.ts';
import { dpopCaller, dpopKey, hashOf } from '../support/dpop.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorize,
  authRequestIdOf,
  callWith,
  claimsOf,
  codeOf,
  locationOf,
  login,
  obtainCode,
  redeem,
  redirectUri,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { basic, codeFor, redeemAs, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { password } from '../support/totp.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await startCompatibleServer(clock);
await server.createUser({ name: 'ana', password });
const root = await rootOf(server);
after(() => server.close());
clock.advance(MINUTE);

const own = '/edge/client/v1/current-api-session';
const caller = (key = dpopKey()) => dpopCaller(server, clock, key);

function assertGrantRefused(answer: Answer, error = 'invalid_grant'): void {
  assert.deepEqual([answer.status, answer.json.error], [400, error], answer.text);
}

describe('a code', () => {
  test('that was asked for with dpop_jkt needs that key, and no other and none', async () => {
    const key = dpopKey();
    const code = await obtainCode(server, 'ana', password, { dpop_jkt: key.thumbprint });
    assertGrantRefused(await redeem(server, code));
    assertGrantRefused(await redeem(caller(), code));
    assert.equal((await redeem(caller(key), code)).json.token_type, 'DPoP');
  });

  test('of a login that was begun again still needs the key', async () => {
    const key = dpopKey();
    const begun = await authorize(server, { dpop_jkt: key.thumbprint });
    const id = authRequestIdOf(begun);
    clock.advance(11 * MINUTE);
    const ended = await server.get(`/oidc/login/username?authRequestID=${encodeURIComponent(id)}`, {
      headers: { accept: 'text/html' },
    });
    const again = /href="([^"]*\/oidc\/authorization\?[^"]*)"/
      .exec(ended.text)?.[1]
      ?.replaceAll('&amp;', '&');
    assert.ok(again?.includes(`dpop_jkt=${key.thumbprint}`), ended.text);
  });

  test('is not begun with a dpop_jkt that is none', async () => {
    for (const dpop_jkt of ['x', 'a'.repeat(44), `${'a'.repeat(42)}=`]) {
      assert.match(locationOf(await authorize(server, { dpop_jkt })), /error=invalid_request/);
    }
    const twice = await authorize(server, { dpop_jkt: 'a'.repeat(43) }, [['dpop_jkt', 'b'.repeat(43)]]);
    assert.match(locationOf(twice), /error=invalid_request/);
  });
});

describe('a request that is pushed with a proof', () => {
  const request = {
    response_type: 'code',
    client_id: 'overlay',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const push = (client: HttpsClient, changes: Readonly<Record<string, string>> = {}) =>
    client.post('/oidc/par', { form: { ...request, ...changes } });

  test('leads to a code for that key', async () => {
    const key = dpopKey();
    const { json } = await push(caller(key));
    const query = new URLSearchParams({ client_id: 'overlay', request_uri: json.request_uri });
    const id = authRequestIdOf(await server.get(`/oidc/authorization?${query}`));
    const code = codeOf(await submitPassword(server, id, 'ana', password));
    assertGrantRefused(await redeem(server, code));
    assert.equal((await redeem(caller(key), code)).status, 200);
  });

  test('is refused when the proof is not valid, or when dpop_jkt is another key', async () => {
    const key = dpopKey();
    assert.equal((await push(caller(key), { dpop_jkt: key.thumbprint })).status, 201);
    assertGrantRefused(await push(caller(key), { dpop_jkt: dpopKey().thumbprint }), 'invalid_request');
    const elsewhere = key.proof({ method: 'POST', url: `${server.issuer}/token` }, clock.now());
    const answer = await server.post('/oidc/par', { form: request, headers: { dpop: elsewhere } });
    assertGrantRefused(answer, 'invalid_dpop_proof');
  });
});

describe('an application that authenticates', () => {
  test('may refresh with another key, to which the new tokens are bound, but not without one', async () => {
    const app = await registerClient(root);
    const first = dpopKey();
    const redeemed = await redeemAs(caller(first), app, await codeFor(server, app, 'ana'));
    assert.equal(redeemed.json.token_type, 'DPoP', redeemed.text);
    const { refresh_token } = redeemed.json;
    assertGrantRefused(await refreshAs(server, app, refresh_token));
    const second = dpopKey();
    const refreshed = await refreshAs(caller(second), app, refresh_token);
    assert.deepEqual(claimsOf(refreshed.json.access_token).cnf, { jkt: second.thumbprint }, refreshed.text);
    const told = await server.post('/oidc/introspect', {
      headers: basic(app),
      form: { token: refreshed.json.access_token },
    });
    assert.deepEqual([told.json.token_type, told.json.cnf], ['DPoP', { jkt: second.thumbprint }]);
  });
});

describe('a session that is bound to a key', () => {
  const key = dpopKey();
  const bound = async () => (await redeem(caller(key), await obtainCode(server, 'ana', password))).json;

  test('says so to its owner, in introspection, and about its refresh token', async () => {
    const tokens = await bound();
    const mine = await caller(key).call(own, tokens.access_token);
    assert.equal(mine.json.data.keyThumbprint, key.thumbprint);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const { json } = await caller(key).call('/oidc/introspect', tokens.access_token, {
        method: 'POST',
        form: { token },
      });
      assert.deepEqual([json.active, json.cnf], [true, { jkt: key.thumbprint }]);
    }
    const bearer = await server.post('/oidc/introspect', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
      form: { token: tokens.access_token },
    });
    assert.equal(bearer.status, 401);
  });

  test('does not let its token be sent in a form, which is a bearer token', async () => {
    const { access_token } = await bound();
    const answer = await server.post('/oidc/userinfo', { form: { access_token } });
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers['www-authenticate']), /^Bearer .*error="invalid"/);
    assert.equal((await caller(key).call('/oidc/userinfo', access_token)).json.name, 'ana');
  });

  test('may be revoked by every holder of a token: that helps no thief', async () => {
    const { access_token, refresh_token } = await bound();
    const answer = await server.post('/oidc/revoke', {
      form: { client_id: 'overlay', token: refresh_token },
    });
    assert.equal(answer.status, 200);
    assert.equal((await caller(key).call(own, access_token)).status, 401);
  });
});

describe('a token exchange of an alias', () => {
  async function boundTokens(key: ReturnType<typeof dpopKey>, scope: string) {
    const begun = await authorize(server, { client_id: goClient, scope });
    const first = locationOf(await submitPassword(server, authRequestIdOf(begun), 'ana', password));
    const code = codeOf(await server.get(first.slice(server.url.length)));
    const answer = await redeem(caller(key), code, { client_id: goClient });
    assert.equal(answer.json.token_type, 'DPoP', answer.text);
    return answer.json;
  }

  test('needs the key of the token, and gives tokens for it', async () => {
    const key = dpopKey();
    const { refresh_token } = await boundTokens(key, 'openid offline_access');
    assertGrantRefused(await goExchange(server, refresh_token, 'refresh_token', 'refresh_token'));
    assertGrantRefused(await goExchange(caller(), refresh_token, 'refresh_token', 'refresh_token'));
    const answer = await goExchange(caller(key), refresh_token, 'refresh_token', 'refresh_token');
    assert.equal(answer.json.token_type, 'DPoP', answer.text);
    assert.deepEqual(claimsOf(answer.json.access_token).cnf, { jkt: key.thumbprint });
  });

  test('of an access token cannot make a bearer token of it', async () => {
    const key = dpopKey();
    const { access_token } = await boundTokens(key, 'openid');
    for (const wanted of ['access_token', 'id_token'] as const) {
      assertGrantRefused(await goExchange(server, access_token, 'access_token', wanted));
      assertGrantRefused(await goExchange(caller(), access_token, 'access_token', wanted));
    }
    const answer = await goExchange(caller(key), access_token, 'access_token', 'access_token');
    assert.deepEqual(claimsOf(answer.json.access_token).cnf, { jkt: key.thumbprint }, answer.text);
  });
});

describe('a proxy that asks who is calling', () => {
  const key = dpopKey();
  const application = { method: 'PUT', url: 'https://app.example/things/1' };
  const forwarded = {
    'x-forwarded-method': 'PUT',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'app.example',
    'x-forwarded-uri': '/things/1?a=b',
  };

  test('gets the proof of the request that it asks about, and may ask about a request to itself', async () => {
    const { access_token } = (await redeem(caller(key), await obtainCode(server, 'ana', password))).json;
    const verify = (headers: Readonly<Record<string, string>>, request: { method: string; url: string }) =>
      server.get('/auth/verify', {
        headers: {
          ...headers,
          authorization: `DPoP ${access_token}`,
          dpop: key.proof(request, clock.now(), { claims: { ath: hashOf(access_token) } }),
        },
      });
    const itself = { method: 'GET', url: `${server.url}/auth/verify` };
    const good = await verify(forwarded, application);
    assert.equal(good.status, 200, good.text);
    assert.equal(good.headers['remote-user'], 'ana');
    assert.equal((await verify({}, itself)).status, 200);
    const { 'x-forwarded-host': _, ...withoutHost } = forwarded;
    for (const [headers, request] of [
      [forwarded, itself],
      [{}, application],
      [withoutHost, application],
      [{ ...forwarded, 'x-forwarded-method': 'POST' }, application],
      [{ ...forwarded, 'x-forwarded-uri': '/things/2' }, application],
      [{ ...forwarded, 'x-forwarded-host': 'other.example' }, application],
      [{ ...forwarded, 'x-forwarded-proto': 'http' }, application],
      // What a client chooses of them must not make the address another one than the proxy's.
      [{ ...forwarded, 'x-forwarded-host': 'other.example@app.example' }, application],
      [
        { ...forwarded, 'x-forwarded-host': 'app.example/things/1?', 'x-forwarded-uri': '/others' },
        application,
      ],
      [{ ...forwarded, 'x-forwarded-host': 'app.example\\things/1#' }, application],
      [
        { ...forwarded, 'x-forwarded-host': 'other', 'x-forwarded-uri': '@app.example/things/1' },
        application,
      ],
      [{ ...forwarded, 'x-forwarded-host': 'app', 'x-forwarded-uri': '.example/things/1' }, application],
      [
        {
          ...forwarded,
          'x-forwarded-proto': 'https://app.example/things/1?',
          'x-forwarded-host': 'other.example',
        },
        application,
      ],
    ] as const) {
      const refused = await verify(headers, request);
      assert.equal(refused.status, 401, JSON.stringify(headers));
      assert.match(String(refused.headers['www-authenticate']), /^DPoP .*error="invalid_dpop_proof"/);
      assert.ok(refused.headers['dpop-nonce']);
    }
  });
});

test('clients of the legacy mechanism and bearer tokens see no difference', async () => {
  const { access_token, refresh_token } = await login(server, 'ana', password);
  const answer = await callWith(server, access_token);
  assert.equal(answer.status, 200);
  assert.equal(answer.json.data.keyThumbprint, null);
  assert.equal(answer.headers['dpop-nonce'], undefined);
  assert.equal((await refresh(server, refresh_token)).json.token_type, 'Bearer');
});
