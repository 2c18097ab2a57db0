// The FAPI 2.0 Security Profile (final), section 5.3.2: a client that authenticates with a key, pushes its requests and
// binds its tokens, with an implementation of such clients that is not ours. docs/decisions/certified-plans.md.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { systemClock } from '../../src/platform/clock.ts';
import { type DpopKey, dpopCaller, dpopKey, hashOf } from '../support/dpop.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  callWith,
  claimsOf,
  codeOf,
  locationOf,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { appRedirectUri, registerClient } from '../support/oidc-clients.ts';
import { startTestServer } from '../support/test-server.ts';

const roots = getCACertificates('default');
const server = await startTestServer();
const root = await rootOf(server);
await server.createUser({ name: 'ada', password });
setDefaultCACertificates([...roots, server.caPem]);
after(async () => {
  setDefaultCACertificates(roots);
  await server.close();
});

const algorithms = ['ES256', 'PS256', 'EdDSA', 'RS256', 'PS384'] as const;
type Algorithm = (typeof algorithms)[number];
const pairs = Object.fromEntries(
  await Promise.all(
    algorithms.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const),
  ),
) as Record<Algorithm, Awaited<ReturnType<typeof generateKeyPair>>>;
const jwks = {
  keys: await Promise.all(
    algorithms.map(async (alg) => ({ ...(await exportJWK(pairs[alg].publicKey)), kid: alg, use: 'sig' })),
  ),
};
const profile = {
  tokenEndpointAuthMethod: 'private_key_jwt',
  jwks,
  requirePushedAuthorizationRequests: true,
  requireDpop: true,
};
const app = await registerClient(root, { ...profile, requirePkce: false });
const client: oauth.Client = { client_id: app.id };
const clientAuth = oauth.PrivateKeyJwt({ key: pairs.ES256.privateKey, kid: 'ES256' });
const issuer = new URL(server.issuer);
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer));

/** Sends again when the server asks for a nonce, which `DPoP` has then taken from the answer. */
async function withNonce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return send();
  }
}

/** The redirect of the last login page. */
async function logIn(requestUri: string): Promise<Answer> {
  const url = new URL(String(as.authorization_endpoint));
  url.search = new URLSearchParams({ client_id: app.id, request_uri: requestUri }).toString();
  const begun = await server.get(`${url.pathname}${url.search}`);
  return submitPassword(server, authRequestIdOf(begun), 'ada', password);
}

describe('oauth4webapi as a client of the profile', () => {
  test('logs in, calls and refreshes, with a code that is bound by dpop_jkt or by a proof at the pushed request', async () => {
    for (const byName of [true, false]) {
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const asked = {
        redirect_uri: appRedirectUri,
        response_type: 'code',
        scope: 'openid offline_access profile',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(byName ? { dpop_jkt: await DPoP.calculateThumbprint() } : {}),
      };
      const { request_uri, expires_in } = await withNonce(async () =>
        oauth.processPushedAuthorizationResponse(
          as,
          client,
          await oauth.pushedAuthorizationRequest(as, client, clientAuth, asked, byName ? {} : { DPoP }),
        ),
      );
      assert.ok(expires_in < 600);
      const back = await logIn(request_uri);
      assert.equal(back.status, 302);
      const answer = new URL(locationOf(back));
      assert.equal(answer.searchParams.get('iss'), server.issuer);
      // Throws unless `iss` is right (RFC 9207).
      const parameters = oauth.validateAuthResponse(as, client, answer, state);

      const redeem = async (options: oauth.TokenEndpointRequestOptions) =>
        oauth.processAuthorizationCodeResponse(
          as,
          client,
          await oauth.authorizationCodeGrantRequest(
            as,
            client,
            clientAuth,
            parameters,
            appRedirectUri,
            verifier,
            options,
          ),
          { expectedNonce: nonce, requireIdToken: true },
        );
      await assert.rejects(redeem({}), { error: /invalid_grant|invalid_dpop_proof/ });
      const thief = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      await assert.rejects(
        withNonce(() => redeem({ DPoP: thief })),
        { error: 'invalid_grant' },
      );
      const tokens = await withNonce(() => redeem({ DPoP }));
      assert.equal(tokens.token_type, 'dpop');
      const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
      const [header = ''] = String(tokens.id_token).split('.');
      assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, 'ES256');
      assert.equal(claimsOf(tokens.access_token).cnf.jkt, await DPoP.calculateThumbprint());
      assert.equal((await callWith(server, tokens.access_token)).status, 401);

      const refresh = async (options: oauth.TokenEndpointRequestOptions) =>
        oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, clientAuth, String(tokens.refresh_token), options),
        );
      // Not rotated (5.3.2.1), and another key than before may be proven (RFC 9449 5): the assertion protects it.
      const next = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      for (const key of [DPoP, next]) {
        const refreshed = await withNonce(() => refresh({ DPoP: key }));
        assert.equal(refreshed.refresh_token, tokens.refresh_token);
        const info = await withNonce(async () =>
          oauth.processUserInfoResponse(
            as,
            client,
            String(sub),
            await oauth.userInfoRequest(as, client, refreshed.access_token, { DPoP: key }),
          ),
        );
        assert.equal(info.name, 'ada');
      }
      await assert.rejects(refresh({}), { error: 'invalid_grant', status: 400 });
    }
  });
});

const seconds = () => Math.floor(systemClock.now() / 1000);

async function assertionOf(claims: JWTPayload = {}, alg: Algorithm = 'ES256') {
  const payload = { jti: crypto.randomUUID(), exp: seconds() + 60, aud: server.issuer, ...claims };
  const assertion = await new SignJWT({ iss: app.id, sub: app.id, ...payload })
    .setProtectedHeader({ alg, kid: alg })
    .sign(pairs[alg].privateKey);
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
}

type Changes = Readonly<Record<string, string | null>>;

/** Pushes a request with an assertion of these claims. */
async function push(
  claims: JWTPayload = {},
  alg: Algorithm = 'ES256',
  changes: Changes = {},
  through: Pick<HttpsClient, 'post'> = server,
): Promise<Answer> {
  const query = authorizationQuery({ client_id: app.id, redirect_uri: appRedirectUri, ...changes });
  const form = { ...Object.fromEntries(new URLSearchParams(query)), ...(await assertionOf(claims, alg)) };
  return through.post('/oidc/par', { form });
}

/** The code of a login, and where it was sent. */
async function obtain(changes: Changes = {}): Promise<{ readonly code: string; readonly back: URL }> {
  const pushed = await push({}, 'ES256', changes);
  assert.equal(pushed.status, 201, pushed.text);
  const back = await logIn(pushed.json.request_uri);
  return { code: codeOf(back), back: new URL(locationOf(back)) };
}

const callerOf = (key: DpopKey) => dpopCaller(server, systemClock, key);

async function redeemThrough(
  through: Pick<HttpsClient, 'post'>,
  code: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: appRedirectUri, ...changes };
  return through.post('/oidc/token', { form: { ...form, ...(await assertionOf()) } });
}

describe('for a client that has a key, must push and must bind', () => {
  test('an assertion names the issuer as its audience, as text', async () => {
    assert.equal((await push()).status, 201);
    for (const aud of [
      `${server.issuer}/token`,
      `${server.issuer}/par`,
      [server.issuer],
      `${server.issuer}/`,
    ]) {
      const { status, json } = await push({ aud });
      assert.deepEqual([status, json.error], [401, 'invalid_client'], String(aud));
    }
  });

  test('an assertion is signed with PS256, ES256 or EdDSA', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA'] as const) {
      assert.equal((await push({}, alg)).status, 201, alg);
    }
    for (const alg of ['RS256', 'PS384'] as const) {
      const { status, json } = await push({}, alg);
      assert.deepEqual([status, json.error], [401, 'invalid_client'], alg);
    }
  });

  test('an assertion may come again with the nonce that it was refused for, and works once', async () => {
    const key = dpopKey();
    const { code } = await obtain({ scope: 'openid offline_access' });
    const { json } = await redeemThrough(callerOf(key), code, { code_verifier: verifier });
    const form = {
      grant_type: 'refresh_token',
      refresh_token: json.refresh_token,
      ...(await assertionOf()),
    };
    const send = (nonce?: string) => {
      const request = { method: 'POST', url: `${server.issuer}/token` };
      const dpop = key.proof(request, systemClock.now(), { claims: { nonce } });
      return server.post('/oidc/token', { form, headers: { dpop } });
    };
    const asked = await send();
    assert.deepEqual([asked.status, asked.json.error], [400, 'use_dpop_nonce']);
    const nonce = String(asked.headers['dpop-nonce']);
    assert.equal((await send(nonce)).status, 200);
    const again = await send(nonce);
    assert.deepEqual([again.status, again.json.error], [401, 'invalid_client']);
  });

  test('a clock may be ten seconds ahead, and not a minute', async () => {
    for (const claim of ['iat', 'nbf']) {
      assert.equal((await push({ [claim]: seconds() + 10 })).status, 201);
      assert.equal((await push({ [claim]: seconds() + 61 })).status, 401);
    }
  });

  test('a request needs PKCE with S256 and a redirect URI, with any value of requirePkce', async () => {
    for (const changes of [
      { code_challenge: null },
      { code_challenge_method: 'plain' },
      { redirect_uri: null },
    ]) {
      const { status, json } = await push({}, 'ES256', changes);
      assert.deepEqual([status, json.error], [400, 'invalid_request'], JSON.stringify(changes));
    }
  });

  test('a code without its verifier is refused like one with a wrong verifier', async () => {
    const caller = callerOf(dpopKey());
    for (const changes of [{}, { code_verifier: 'x'.repeat(43) }]) {
      const { status, json } = await redeemThrough(caller, (await obtain()).code, changes);
      assert.deepEqual([status, json.error], [400, 'invalid_grant']);
    }
  });

  test('a proof is not signed with RS256, nowhere, and the same key works with PS256', async () => {
    const [bad, good] = [callerOf(dpopKey('RS256')), callerOf(dpopKey('PS256'))];
    const refused = await push({}, 'ES256', {}, bad);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_dpop_proof']);
    assert.equal((await push({}, 'ES256', {}, good)).status, 201);
    const { code } = await obtain();
    const unredeemed = await redeemThrough(bad, code, { code_verifier: verifier });
    assert.equal(unredeemed.json.error, 'invalid_dpop_proof');
    const tokens = (await redeemThrough(good, code, { code_verifier: verifier })).json;
    assert.equal((await good.call('/oidc/userinfo', tokens.access_token)).status, 200);
  });

  test('a proof with RS256 does not open an API, whose token is bound to that very key', async () => {
    const key = dpopKey('PS256');
    const caller = callerOf(key);
    const { code } = await obtain();
    const { access_token: token } = (await redeemThrough(caller, code, { code_verifier: verifier })).json;
    for (const [scheme, alg, status] of [
      ['DPoP', 'PS256', 200],
      // The scheme is a name without case (RFC 9110 11.1).
      ['dpOp', 'PS256', 200],
      ['DPoP', 'RS256', 401],
    ] as const) {
      const url = `${server.issuer}/userinfo`;
      const nonce = (await caller.get('/oidc/keys')).headers['dpop-nonce'];
      const changes = { claims: { ath: hashOf(token), nonce }, alg };
      const dpop = key.proof({ method: 'GET', url }, systemClock.now(), changes);
      const headers = { authorization: `${scheme} ${token}`, dpop };
      const answer = await server.get('/oidc/userinfo', { headers });
      assert.equal(answer.status, status, `${scheme} ${alg}: ${answer.text}`);
    }
  });

  test('long and missing values come back as they were sent', async () => {
    for (const [state, nonce] of [
      ['s'.repeat(1000), 'n'.repeat(64)],
      [null, 'n'.repeat(384)],
      ['s', null],
    ]) {
      const { code, back } = await obtain({ state: state ?? null, nonce: nonce ?? null });
      assert.equal(back.searchParams.get('state'), state);
      const caller = callerOf(dpopKey());
      const tokens = (await redeemThrough(caller, code, { code_verifier: verifier })).json;
      assert.equal(claimsOf(tokens.id_token).nonce ?? null, nonce);
    }
  });

  test('a request that was not pushed is refused, and so is the grant by password', async () => {
    const query = authorizationQuery({ client_id: app.id, redirect_uri: appRedirectUri });
    const typed = await server.get(`/oidc/authorization?${query}`);
    assert.equal(new URL(locationOf(typed)).searchParams.get('error'), 'invalid_request');
    const form = { grant_type: 'password', username: 'ada', password, client_id: 'overlay' };
    const answer = await server.post('/oidc/token', { form });
    assert.deepEqual([answer.status, answer.json.error], [400, 'unsupported_grant_type']);
  });

  test('redirect URIs with http are refused, except at the own device', async () => {
    const fields = { type: 'confidential', ...profile };
    for (const [uri, status] of [
      ['http://app.example/cb', 400],
      ['http://127.0.0.1/cb', 201],
    ]) {
      const answer = await root.call('POST', 'oidc-clients', { ...fields, name: uri, redirectUris: [uri] });
      assert.equal(answer.status, status, answer.text);
    }
  });

  test('ID tokens are signed with ES256 unless the client names another algorithm', async () => {
    const named = await registerClient(root, { ...profile, idTokenSigningAlg: 'RS256' });
    const usual = await registerClient(root);
    for (const [{ id }, alg] of [
      [app, 'ES256'],
      [named, 'RS256'],
      [usual, 'RS256'],
    ] as const)
      assert.equal((await root.get(`oidc-clients/${id}`)).json.data.idTokenSigningAlg, alg);
  });
});

test('scripts of other sites cannot read the authorization endpoint, and it redirects with 302', async () => {
  const path = `/oidc/authorization?${authorizationQuery()}`;
  const answer = await server.get(path, { headers: { origin: 'https://other.example' } });
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
  assert.equal(answer.status, 302);
});

test('discovery has what a client of the profile looks for', async () => {
  const { json } = await server.get('/oidc/.well-known/openid-configuration');
  for (const [name, value] of [
    ['token_endpoint_auth_methods_supported', 'private_key_jwt'],
    ['token_endpoint_auth_signing_alg_values_supported', 'ES256'],
    ['id_token_signing_alg_values_supported', 'ES256'],
    ['dpop_signing_alg_values_supported', 'ES256'],
    ['code_challenge_methods_supported', 'S256'],
    ['grant_types_supported', 'authorization_code'],
  ] as const)
    assert.ok(json[name].includes(value), name);
  assert.equal(json.authorization_response_iss_parameter_supported, true);
  assert.equal(json.pushed_authorization_request_endpoint, `${server.issuer}/par`);
});
