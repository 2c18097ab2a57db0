// The FAPI 2.0 Security Profile (final), section 5.3.2: a client that authenticates with a key, pushes its requests and
// binds its tokens, with an implementation of such clients that is not ours. docs/decisions/certified-plans.md.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { systemClock } from '../../src/platform/clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  callWith,
  claimsOf,
  locationOf,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
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

      const refreshed = await withNonce(async () =>
        oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, clientAuth, String(tokens.refresh_token), {
            DPoP,
          }),
        ),
      );
      const info = await withNonce(async () =>
        oauth.processUserInfoResponse(
          as,
          client,
          String(sub),
          await oauth.userInfoRequest(as, client, refreshed.access_token, { DPoP }),
        ),
      );
      assert.equal(info.name, 'ada');
    }
  });
});

const seconds = () => Math.floor(systemClock.now() / 1000);

/** Pushes a request with an assertion of these claims. */
async function push(
  claims: JWTPayload = {},
  alg: Algorithm = 'ES256',
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  const payload = { jti: crypto.randomUUID(), exp: seconds() + 60, aud: server.issuer, ...claims };
  const assertion = await new SignJWT({ iss: app.id, sub: app.id, ...payload })
    .setProtectedHeader({ alg, kid: alg })
    .sign(pairs[alg].privateKey);
  const query = authorizationQuery({ client_id: app.id, redirect_uri: appRedirectUri, ...changes });
  const form = {
    ...Object.fromEntries(new URLSearchParams(query)),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
  return server.post('/oidc/par', { form });
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

  test('a clock may be ten seconds ahead, and not a minute', async () => {
    for (const claim of ['iat', 'nbf']) {
      assert.equal((await push({ [claim]: seconds() + 10 })).status, 201);
      assert.equal((await push({ [claim]: seconds() + 61 })).status, 401);
    }
  });

  test('a request needs PKCE with S256 and a redirect URI, whatever requirePkce says', async () => {
    for (const changes of [
      { code_challenge: null },
      { code_challenge_method: 'plain' },
      { redirect_uri: null },
    ]) {
      const { status, json } = await push({}, 'ES256', changes);
      assert.deepEqual([status, json.error], [400, 'invalid_request'], JSON.stringify(changes));
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
