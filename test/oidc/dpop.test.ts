import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import {
  type DpopKey,
  dpopCaller,
  dpopKey,
  hashOf,
  type ProofAlgorithm,
  type ProofChanges,
  withHeaders,
} from '../support/dpop.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, claimsOf, login, obtainCode, redeem, refresh, type Tokens } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'ana', password });
// Proofs from the time around its start would have to contain a nonce.
clock.advance(MINUTE);

const path = '/edge/client/v1/current-api-session';
const at = (where: string) => new URL(where, server.issuer).href;
const tokenRequest = { method: 'POST', url: at('/oidc/token') };
const call = { method: 'GET', url: at(path) };

/** The server for one request with a proof. */
const proving = (proof: string) => withHeaders(server, { dpop: proof });

async function boundLogin(key: DpopKey, changes: Readonly<Record<string, string>> = {}): Promise<Tokens> {
  const answer = await redeem(
    proving(key.proof(tokenRequest, clock.now())),
    await obtainCode(server, 'ana', password, changes),
  );
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.token_type, 'DPoP');
  return answer.json;
}

function callBound(
  key: DpopKey,
  token: string,
  { header = {}, claims = {} }: ProofChanges = {},
): Promise<Answer> {
  const proof = key.proof(call, clock.now(), { header, claims: { ath: hashOf(token), ...claims } });
  return server.get(path, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
}

/** With the nonce of an earlier answer, or of the refusal that asks for one. */
async function refreshBound(key: DpopKey, token: string, changes: ProofChanges = {}): Promise<Answer> {
  const send = (nonce?: string) =>
    refresh(
      proving(
        key.proof(tokenRequest, clock.now(), {
          ...changes,
          claims: { ...(nonce === undefined ? {} : { nonce }), ...changes.claims },
        }),
      ),
      token,
    );
  const first = await send();
  assert.deepEqual([first.status, first.json.error], [400, 'use_dpop_nonce'], first.text);
  return send(String(first.headers['dpop-nonce']));
}

function assertChallenge(answer: Answer, error: string): void {
  assert.equal(answer.status, 401, answer.text);
  const lines = answer.lines('www-authenticate');
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    new RegExp(`^DPoP realm="overlay-oidc", error="${error}", .*algs="[^"]*ES256`),
  );
}

const bearerInvalid = ['Bearer realm="overlay-oidc", error="invalid", error_description="token is invalid"'];

describe('tokens that a client asks for with a DPoP proof', () => {
  for (const alg of ['ES256', 'EdDSA', 'RS256', 'PS256'] as const satisfies readonly ProofAlgorithm[]) {
    test(`are bound to its key, of ${alg}, and work with it`, async () => {
      const key = dpopKey(alg);
      const { access_token } = await boundLogin(key);
      assert.deepEqual(claimsOf(access_token).cnf, { jkt: key.thumbprint });
      const answer = await callBound(key, access_token);
      assert.equal(answer.status, 200, answer.text);
      assert.match(String(answer.headers['dpop-nonce']), /^[\w-]{20,}$/);
    });
  }

  test('do not work as bearer tokens, and the challenge is that of bearer tokens', async () => {
    const { access_token } = await boundLogin(dpopKey());
    const answer = await callWith(server, access_token);
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.lines('www-authenticate'), bearerInvalid);
  });

  test('do not work with the key of a thief, without a proof, or with the proof of another token', async () => {
    const key = dpopKey();
    const { access_token } = await boundLogin(key);
    assertChallenge(await callBound(dpopKey(), access_token), 'invalid_token');
    assertChallenge(
      await server.get(path, { headers: { authorization: `DPoP ${access_token}` } }),
      'invalid_dpop_proof',
    );
    const other = await boundLogin(key);
    assertChallenge(
      await callBound(key, access_token, { claims: { ath: hashOf(other.access_token) } }),
      'invalid_dpop_proof',
    );
  });

  test('are refreshed with the same key, and a proof that contains a nonce of the server', async () => {
    const key = dpopKey();
    const tokens = await boundLogin(key);
    const answer = await refreshBound(key, tokens.refresh_token);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.token_type, 'DPoP');
    assert.equal((await callBound(key, answer.json.access_token)).status, 200);
  });

  test('cannot be refreshed without the key, and the attempt takes nothing from their owner', async () => {
    const key = dpopKey();
    const first = await boundLogin(key);
    const { json: second } = await refreshBound(key, first.refresh_token);
    for (const stolen of [first.refresh_token, second.refresh_token]) {
      const bare = await refresh(server, stolen);
      assert.deepEqual([bare.status, bare.json.error], [400, 'invalid_grant']);
      const other = await refreshBound(dpopKey(), stolen);
      assert.deepEqual([other.status, other.json.error], [400, 'invalid_grant'], other.text);
    }
    assert.equal((await refreshBound(key, second.refresh_token)).status, 200);
  });

  test('end with the session when the owner presents a used refresh token with the key', async () => {
    const key = dpopKey();
    const first = await boundLogin(key);
    const { json: second } = await refreshBound(key, first.refresh_token);
    clock.advance(MINUTE);
    assert.equal((await refreshBound(key, first.refresh_token)).json.reason, 'reused');
    assertChallenge(await callBound(key, second.access_token), 'invalid_token');
  });

  test('are said to be invalid when they have expired', async () => {
    const key = dpopKey();
    const { access_token } = await boundLogin(key);
    clock.advance(31 * MINUTE);
    assertChallenge(await callBound(key, access_token), 'invalid_token');
  });
});

describe('a bearer token', () => {
  test('does not work in the scheme of bound tokens', async () => {
    const { access_token } = await login(server, 'ana', password);
    assertChallenge(await callBound(dpopKey(), access_token), 'invalid_token');
  });

  test('may be refreshed with a proof: the access token is bound, and the refresh token stays as it was', async () => {
    const key = dpopKey();
    const { refresh_token } = await login(server, 'ana', password);
    const bound = await refreshBound(key, refresh_token);
    assert.equal(bound.json.token_type, 'DPoP', bound.text);
    assert.deepEqual(claimsOf(bound.json.access_token).cnf, { jkt: key.thumbprint });
    const answer = await refresh(server, bound.json.refresh_token);
    assert.equal(answer.json.token_type, 'Bearer');
  });
});

describe('a DPoP proof', () => {
  const key = dpopKey();

  test('works once', async () => {
    const { access_token } = await boundLogin(key);
    const headers = {
      authorization: `DPoP ${access_token}`,
      dpop: key.proof(call, clock.now(), { claims: { ath: hashOf(access_token) } }),
    };
    assert.equal((await server.get(path, { headers })).status, 200);
    for (let count = 0; count < 3; count += 1)
      assertChallenge(await server.get(path, { headers }), 'invalid_dpop_proof');
  });

  test('proves one request, although the guard asks twice for those with a body', async () => {
    const { access_token } = await boundLogin(key);
    const proof = key.proof({ method: 'POST', url: at('/oidc/userinfo') }, clock.now(), {
      claims: { ath: hashOf(access_token) },
    });
    const headers = { authorization: `DPoP ${access_token}`, dpop: proof };
    assert.equal((await server.post('/oidc/userinfo', { headers, form: {} })).status, 200);
    assertChallenge(await server.post('/oidc/userinfo', { headers, form: {} }), 'invalid_dpop_proof');
  });

  test('is refused when it is for another request, another time or of another form', async () => {
    const { access_token } = await boundLogin(key);
    const { privateKey, jwk } = key;
    const seconds = Math.floor(clock.now() / SECOND);
    const wrong: Readonly<Record<string, ProofChanges>> = {
      method: { claims: { htm: 'POST' } },
      'method in lower case': { claims: { htm: 'get' } },
      path: { claims: { htu: at('/edge/client/v1/current-identity') } },
      host: { claims: { htu: call.url.replace('localhost', 'elsewhere.example') } },
      'http in place of https': { claims: { htu: call.url.replace('https:', 'http:') } },
      port: { claims: { htu: call.url.replace(/:\d+/, ':1') } },
      'user in the address': { claims: { htu: call.url.replace('//', '//ana@') } },
      'no address': { claims: { htu: null } },
      'no method': { claims: { htm: null } },
      'old iat': { claims: { iat: seconds - 3600 } },
      'future iat': { claims: { iat: seconds + 3600 } },
      'iat as text': { claims: { iat: String(seconds) } },
      'no iat': { claims: { iat: null } },
      'no jti': { claims: { jti: null } },
      'long jti': { claims: { jti: 'j'.repeat(513) } },
      'no ath': { claims: { ath: null } },
      'other ath': { claims: { ath: hashOf('another token') } },
      typ: { header: { typ: 'JWT' } },
      'no typ': { header: { typ: null } },
      'alg none': { header: { alg: 'none' } },
      'alg HS256': { header: { alg: 'HS256' } },
      'alg of another key': { header: { alg: 'RS256' } },
      'alg of another curve': { header: { alg: 'ES384' } },
      'no alg': { header: { alg: null } },
      crit: { header: { crit: ['exp'] } },
      'private key': { header: { jwk: privateKey.export({ format: 'jwk' }) } },
      'no jwk': { header: { jwk: null } },
      'jwk as list': { header: { jwk: [jwk] } },
      'symmetric jwk': { header: { alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } } },
      'jwk of another key': { header: { jwk: dpopKey().jwk } },
      'point off the curve': { header: { jwk: { ...jwk, y: jwk.x } } },
      'jwk for encryption': { header: { jwk: { ...jwk, use: 'enc' } } },
      'huge jwk': { header: { jwk: { ...jwk, more: 'x'.repeat(4000) } } },
    };
    for (const [what, changes] of Object.entries(wrong)) {
      const answer = await callBound(key, access_token, changes);
      assert.equal(answer.status, 401, `${what}: ${answer.text}`);
      assertChallenge(answer, 'invalid_dpop_proof');
    }
  });

  test('is refused when its header is there twice, or no JWT', async () => {
    const { access_token } = await boundLogin(key);
    const claims = { ath: hashOf(access_token) };
    const twice = [1, 2].map(() => key.proof(call, clock.now(), { claims }));
    const whole = key.proof(call, clock.now(), { claims });
    for (const dpop of [
      twice,
      '',
      'x',
      '..',
      `${whole}.`,
      `${whole}=`,
      whole.slice(0, -2),
      'a'.repeat(7000),
    ]) {
      const answer = await server.get(path, { headers: { authorization: `DPoP ${access_token}`, dpop } });
      assertChallenge(answer, 'invalid_dpop_proof');
    }
  });

  test('may write the address in other ways that mean the same', async () => {
    const { access_token } = await boundLogin(key);
    for (const htu of [
      `${call.url}?a=b`,
      `${call.url}#x`,
      call.url.replace('https://localhost', 'HTTPS://LOCALHOST'),
    ])
      assert.equal((await callBound(key, access_token, { claims: { htu } })).status, 200, htu);
    const query = await server.get(`${path}?a=b`, {
      headers: {
        authorization: `dpop ${access_token}`,
        dpop: key.proof(call, clock.now(), { claims: { ath: hashOf(access_token) } }),
      },
    });
    assert.equal(query.status, 200, query.text);
  });

  test('of a key of 16384 bits is refused before anything is calculated with it', async () => {
    const { access_token } = await boundLogin(key);
    const n = Buffer.alloc(2048, 0xff).toString('base64url');
    const answer = await callBound(key, access_token, {
      header: { alg: 'RS256', jwk: { kty: 'RSA', n, e: 'AQAB' } },
    });
    assertChallenge(answer, 'invalid_dpop_proof');
  });
});

describe('a nonce', () => {
  const key = dpopKey();

  test('is asked for when the clock of the client is wrong, and then the proof counts', async () => {
    const { access_token } = await boundLogin(key);
    for (const off of [-3 * MINUTE, 45 * SECOND]) {
      const iat = Math.floor((clock.now() + off) / SECOND);
      const asked = await callBound(key, access_token, { claims: { iat } });
      assertChallenge(asked, 'use_dpop_nonce');
      const nonce = asked.headers['dpop-nonce'];
      assert.equal((await callBound(key, access_token, { claims: { iat, nonce } })).status, 200);
    }
  });

  test('that is made up, of another type or expired is refused with a new one', async () => {
    const { access_token } = await boundLogin(key);
    const { headers } = await callBound(key, access_token);
    const old = String(headers['dpop-nonce']);
    assert.equal((await callBound(key, access_token, { claims: { nonce: old } })).status, 200);
    const flipped = `${old.slice(0, -2)}${old.endsWith('BA') ? 'AA' : 'BA'}`;
    for (const nonce of ['', 'x', flipped]) {
      const answer = await callBound(key, access_token, { claims: { nonce } });
      assertChallenge(answer, 'use_dpop_nonce');
      assert.equal(answer.headers['dpop-nonce'], old);
    }
    assertChallenge(await callBound(key, access_token, { claims: { nonce: 7 } }), 'invalid_dpop_proof');
    clock.advance(5 * MINUTE);
    const expired = await callBound(key, access_token, { claims: { nonce: old } });
    assertChallenge(expired, 'use_dpop_nonce');
    assert.notEqual(expired.headers['dpop-nonce'], old);
  });
});

test('the token endpoint says what is wrong with a proof, and keeps the code', async () => {
  const key = dpopKey();
  const code = await obtainCode(server, 'ana', password);
  const wrong = await redeem(proving(key.proof({ ...tokenRequest, method: 'GET' }, clock.now())), code);
  assert.deepEqual([wrong.status, wrong.json.error], [400, 'invalid_dpop_proof']);
  const proof = key.proof(tokenRequest, clock.now());
  assert.equal((await redeem(proving(proof), code)).status, 200);
  const again = await redeem(proving(proof), await obtainCode(server, 'ana', password));
  assert.deepEqual([again.status, again.json.error], [400, 'invalid_dpop_proof']);
});

test('garbage with a proof is refused like garbage without, and its proof is not even read', async () => {
  const answer = await redeem(proving('no proof'), 'no code');
  assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_grant']);
  const refreshed = await refresh(proving('no proof'), 'no token');
  assert.deepEqual([refreshed.status, refreshed.json.error], [400, 'invalid_grant']);
});

test('the discovery document names the algorithms', async () => {
  const { json } = await server.get('/oidc/.well-known/openid-configuration');
  for (const alg of ['ES256', 'EdDSA', 'RS256', 'PS256']) {
    assert.equal(json.dpop_signing_alg_values_supported.includes(alg), true);
  }
  for (const alg of ['none', 'HS256'])
    assert.equal(json.dpop_signing_alg_values_supported.includes(alg), false);
});

test('scripts of allowed origins may send proofs and read nonces', async () => {
  const origin = new URL(server.issuer).origin;
  const preflight = await server.request('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'dpop' },
  });
  assert.match(String(preflight.headers['access-control-allow-headers']), /\bdpop\b/);
  assert.match(String(preflight.headers['access-control-expose-headers']), /\bdpop-nonce\b/);
});

// PostgreSQL remembers proofs over a restart.
test('proofs and nonces from before a restart do not count, whether they were used or not', async () => {
  const own = fixedClock(clock.now());
  const db = 'sqlite:./overlay.db';
  const first = await startTestServer({ clock: own, db });
  await first.createUser({ name: 'ana', password });
  own.advance(MINUTE);
  const key = dpopKey();
  const token = (await redeem(dpopCaller(first, own, key), await obtainCode(first, 'ana', password))).json;
  const request = { method: 'GET', url: new URL(path, first.url).href };
  const headers = (nonce?: string) => {
    const claims = { ath: hashOf(token.access_token), ...(nonce === undefined ? {} : { nonce }) };
    return {
      authorization: `DPoP ${token.access_token}`,
      dpop: key.proof(request, own.now(), { claims }),
    };
  };
  const [used, unused] = [headers(), headers()];
  const answer = await first.get(path, { headers: used });
  assert.equal(answer.status, 200, answer.text);
  const old = String(answer.headers['dpop-nonce']);
  const [usedWithNonce, unusedWithNonce] = [headers(old), headers(old)];
  assert.equal((await first.get(path, { headers: usedWithNonce })).status, 200);
  await first.stop();

  const { port } = new URL(first.url);
  const configure = (yaml: string) => yaml.replaceAll(':0"', `:${port}"`);
  await using second = await startTestServer({ clock: own, db, home: first.home, configure });
  for (const before of [used, unused, usedWithNonce, unusedWithNonce]) {
    const asked = await second.get(path, { headers: before });
    assertChallenge(asked, 'use_dpop_nonce');
    const nonce = String(asked.headers['dpop-nonce']);
    assert.notEqual(nonce, old);
    assert.equal((await second.get(path, { headers: headers(nonce) })).status, 200);
  }
});
