// Two independent OpenID Connect clients, not written by us, drive the whole flow.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { authRequestIdOf, locationOf, redirectUri, submitPassword } from '../support/flow.ts';
import { createdId, loggedIn, rootOf } from '../support/management.ts';
import { addSecret, loginAt, registerClient } from '../support/oidc-clients.ts';
import { startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const roots = getCACertificates('default');
const server = await startTestServer();
await server.createUser({ name: 'alice', password });
// Both clients use the platform's fetch, which trusts what the process trusts.
setDefaultCACertificates([...roots, server.caPem]);
after(async () => {
  setDefaultCACertificates(roots);
  await server.close();
});

/** What the person does between the authorization request and the callback. */
async function logIn(authorizationUrl: URL): Promise<URL> {
  const begun = await server.get(`${authorizationUrl.pathname}${authorizationUrl.search}`);
  return new URL(locationOf(await submitPassword(server, authRequestIdOf(begun), 'alice', password)));
}

describe('openid-client', () => {
  test('discovers, logs in, reads userinfo, refreshes, and is refused what was used', async () => {
    const config = await openid.discovery(new URL(server.issuer), 'overlay', undefined, openid.None());
    assert.equal(config.serverMetadata().supportsPKCE(), true);
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const authorizationUrl = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const callback = await logIn(authorizationUrl);
    const tokens = await openid.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    assert.ok(claims);
    const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    assert.equal(info.name, 'alice');
    assert.equal(info.preferred_username, 'alice');

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.equal(refreshed.claims()?.sub, claims.sub);
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
    await assert.rejects(openid.refreshTokenGrant(config, refreshed.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    await assert.rejects(openid.fetchUserInfo(config, refreshed.access_token, claims.sub));
    const logout = openid.buildEndSessionUrl(config, { id_token_hint: refreshed.id_token ?? '' });
    assert.equal((await server.get(`${logout.pathname}${logout.search}`)).status, 200);
  });
});

describe('oauth4webapi', () => {
  test('checks every answer of the flow, and JWT access tokens with the JWKS', async () => {
    const issuer = new URL(server.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer));
    const client: oauth.Client = { client_id: 'overlay' };
    const verifier = oauth.generateRandomCodeVerifier();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: 'overlay',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'st',
      nonce,
    }).toString();
    // Throws unless `iss` is there and right (RFC 9207), since the metadata promises it.
    const parameters = oauth.validateAuthResponse(as, client, await logIn(url), 'st');
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, answer);

    const request = new Request(`${server.url}/edge`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(as, request, 'overlay-edge-apis');
    assert.equal(claims.client_id, 'overlay');

    const refreshAnswer = await oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      tokens.refresh_token ?? '',
    );
    const refreshed = await oauth.processRefreshTokenResponse(as, client, refreshAnswer);
    const info = await oauth.userInfoRequest(as, client, refreshed.access_token);
    const { sub } = await oauth.processUserInfoResponse(as, client, claims.sub, info);
    assert.equal(sub, claims.sub);
  });
});

interface Template {
  readonly name: string;
  readonly type: 'public' | 'confidential';
  readonly usesPkce: boolean;
  readonly scopes: readonly string[];
  settings(known: { issuer: string; id: string; redirectUri: string }): string;
}

describe('the templates of the console', () => {
  const admin = rootOf(server);

  test('register applications to which a client that does as each of them does logs in', async () => {
    const root = await admin;
    const issuer = new URL(server.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer));
    const { templates, addressAt, redirectUrisOf } = await consoleTemplates();
    for (const [key, template] of Object.entries<Template>(templates)) {
      const { name, type, usesPkce, scopes } = template;
      const redirectUris = redirectUrisOf(template, addressAt(template, 'app.example'));
      const isPublic = type === 'public';
      const fields = { name, type, requirePkce: usesPkce, scopes, redirectUris };
      const id = createdId(await root.call('POST', 'oidc-clients', fields));
      const secret = isPublic ? '' : await addSecret(root, id);
      const proof = isPublic ? oauth.None() : oauth.ClientSecretBasic(secret);
      for (const uri of redirectUris) {
        const verifier = oauth.generateRandomCodeVerifier();
        const challenge = await oauth.calculatePKCECodeChallenge(verifier);
        const url = new URL(as.authorization_endpoint ?? '');
        url.search = new URLSearchParams({
          client_id: id,
          redirect_uri: uri,
          response_type: 'code',
          scope: scopes.join(' '),
          state: 'st',
          ...(usesPkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
        }).toString();
        const client = { client_id: id };
        const parameters = oauth.validateAuthResponse(as, client, await logIn(url), 'st');
        const proven = usesPkce ? verifier : oauth.nopkce;
        const answer = await oauth.authorizationCodeGrantRequest(as, client, proof, parameters, uri, proven);
        const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer);
        const info = await oauth.userInfoRequest(as, client, tokens.access_token);
        const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? { sub: '' };
        const claims = await oauth.processUserInfoResponse(as, client, sub, info);
        if (scopes.includes('profile')) assert.equal(claims.preferred_username, 'alice', key);
        assert.equal('groups' in claims, scopes.includes('groups'), key);
      }
    }
  });

  test('have people recognized by their id, because a user name is free again after its person', async () => {
    const root = await admin;
    const app = await registerClient(root, { scopes: ['openid', 'profile', 'offline_access'] });
    const infoOf = async (name: string) => {
      const { access_token } = await loginAt(server, app, name);
      const headers = { authorization: `Bearer ${access_token}` };
      return (await server.get('/oidc/userinfo', { headers })).json;
    };
    const former = await server.createUser({ name: 'former', password });
    const before = await infoOf('former');
    assert.equal((await root.call('DELETE', `identities/${former}`)).status, 200);
    await server.createUser({ name: 'mallory', password });
    const mallory = await loggedIn(server, 'mallory');
    const own = '/edge/client/v1/current-identity/authenticators';
    const [authenticator] = (await mallory.get(own)).json.data;
    const renamed = { username: 'former', currentPassword: password };
    assert.equal((await mallory.call('PATCH', `${own}/${authenticator.id}`, renamed)).status, 200);
    const after = await infoOf('former');
    assert.equal(after.preferred_username, before.preferred_username);
    assert.notEqual(after.sub, before.sub);

    const { templates } = await consoleTemplates();
    for (const [key, { settings }] of Object.entries<Template>(templates)) {
      const text = settings({ issuer: server.issuer, id: app.id, redirectUri: 'https://app.example/cb' });
      const recognizes = /(?:username.claim|uid.field|mapping.uid)\W+(\w+)/.exec(text)?.[1] ?? 'sub';
      assert.ok(['sub', 'subject'].includes(recognizes), `${key}: ${recognizes}`);
    }
  });
});

/** Of the page that registers an application; its words follow the language of a page. */
async function consoleTemplates() {
  Object.assign(globalThis, { document: { documentElement: { lang: 'en' } } });
  try {
    return await import(new URL('../../web/console/screens/clients/templates.ts', import.meta.url).href);
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
}
