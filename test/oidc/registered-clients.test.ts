// Registered clients as the applications and their attackers see them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { asId, type OidcClientId } from '../../src/model/ids.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorize,
  authRequestIdOf,
  callWith,
  challenge,
  claimsOf,
  codeOf,
  locationOf,
  login,
  refresh,
  submitPassword,
  verifier,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { type Caller, callerWith, password, rootOf } from '../support/management.ts';
import {
  addSecret,
  appRedirectUri,
  basic,
  codeFor,
  loginAt,
  loginStep,
  redeemAs,
  refreshAs,
  registerClient,
  type TestClient,
} from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let root: Caller;
const server = await serverOfFile({ clock, signing: true });
root = await rootOf(server);
const aliceId = await server.createUser({ name: 'alice', password });

/** The administrator's tokens expire while the clock advances. */
async function asRoot(): Promise<Caller> {
  const tokens = (await refresh(server, root.refreshToken)).json;
  root = callerWith(server, tokens.access_token, tokens.refresh_token);
  return root;
}

const change = async (id: string, fields: Record<string, unknown>) =>
  assert.equal((await (await asRoot()).call('PATCH', `oidc-clients/${id}`, fields)).status, 200);

test('an address of a form that only a newer release knows is passed over, and others of the application work', async () => {
  const client = await registerClient(await asRoot());
  const redirectUris = [appRedirectUri, 'https://*.newer.example/callback'];
  assert.ok(
    await server.store.oidcClients.update(asId<OidcClientId>(client.id), { redirectUris }, clock.now()),
  );
  const { access_token } = await loginAt(server, client, 'alice');
  assert.equal((await userinfo(access_token)).status, 200);
  const [said] = server.log.entries.filter(({ fields }) => fields.client === client.id);
  assert.match(said?.message ?? '', /cannot be read/);
});

const userinfo = (accessToken: string) => callWith(server, accessToken, '/oidc/userinfo');

function assertError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error, error, answer.text);
}

/** RFC 6749 5.2: the same for header and body. */
function assertNotAuthenticated(answer: Answer): void {
  assertError(answer, 401, 'invalid_client');
  assert.equal(answer.headers['www-authenticate'], 'Basic realm="overlay-oidc"');
  assert.equal(answer.json.error_description, 'the client could not be authenticated');
}

describe('a login at a registered client', () => {
  test('ends at its own redirect URI, with tokens that are for it alone', async () => {
    const app = await registerClient(root);
    const tokens = await loginAt(server, app, 'alice');
    const keys = createLocalJWKSet((await server.get('/oidc/keys')).json);
    const options = { issuer: server.issuer, audience: app.id, currentDate: new Date(clock.now()) };
    const { protectedHeader, payload } = await jwtVerify(tokens.id_token, keys, options);
    assert.equal(protectedHeader.alg, 'RS256');
    assert.deepEqual([payload.azp, payload.sub, payload.name], [app.id, aliceId, undefined]);
    assert.equal(claimsOf(tokens.access_token).aud, app.id);
    assert.equal(claimsOf(tokens.access_token).scope, 'openid profile email groups offline_access');
    assert.equal((await userinfo(tokens.access_token)).status, 200);
    const again = (await refreshAs(server, app, tokens.refresh_token)).json;
    assert.equal(claimsOf(again.access_token).aud, app.id);
    assert.equal(JSON.parse(Buffer.from(again.id_token.split('.')[0], 'base64url').toString()).alg, 'RS256');
  });

  test('goes to no other address, of the listener or of another client', async () => {
    const app = await registerClient(root, { redirectUris: ['https://own.example:*/cb'] });
    const other = await registerClient(root);
    const refused: readonly (readonly [string, string])[] = [
      [app.id, 'http://localhost:8400/auth/callback'],
      [app.id, appRedirectUri],
      [app.id, 'https://own.example:8443/cb/x'],
      [app.id, 'https://own.example:8443@evil.example/cb'],
      [other.id, 'https://own.example:8443/cb'],
      ['overlay', appRedirectUri],
    ];
    for (const [client_id, redirect_uri] of refused) {
      const answer = await authorize(server, { client_id, redirect_uri });
      assert.equal(answer.status, 400, redirect_uri);
      assert.equal(answer.headers.location, undefined);
    }
    const fine = await authorize(server, { client_id: app.id, redirect_uri: 'https://own.example:8443/cb' });
    assert.equal(fine.status, 302);
  });

  test('has the usual scopes, and the record of a login has those that were dropped', async () => {
    const app = await registerClient(root);
    const scope = 'openid profile email groups offline_access address urn:x';
    const usual = await authorize(server, { client_id: app.id, redirect_uri: appRedirectUri, scope });
    const id = authRequestIdOf(usual);
    const answer = await submitPassword(server, id, 'alice', password);
    assert.equal(answer.status, 302);
    const reference = String(answer.headers['x-request-id']);
    const { attempts } = (await root.get(`login-attempts/${reference}`)).json.data;
    const saw = attempts[0].checks.find(({ check }: { check: string }) => check === 'scopes')?.saw;
    assert.match(saw, /not among those of the application: \["address","urn:x"\]$/);
  });

  test('leaves on the application which supported scopes it lacks, once a person has signed in', async () => {
    const app = await registerClient(root, { scopes: ['openid'] });
    const path = `oidc-clients/${app.id}`;
    const read = async () => (await (await asRoot()).get(path)).json.data;
    const scope = 'openid groups email address urn:x';
    const ask = (changes = {}) =>
      authorize(server, { client_id: app.id, redirect_uri: appRedirectUri, scope, ...changes });
    const id = authRequestIdOf(await ask());
    assert.equal((await submitPassword(server, id, 'alice', 'wrong')).status, 401);
    assert.deepEqual((await read()).droppedScopes, []);
    const version = async () => (await (await asRoot()).get(path)).headers.etag;
    const before = await version();
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
    const asked = await read();
    assert.deepEqual(asked.droppedScopes, ['email', 'groups']);
    await loginStep(server, app, 'alice', { scope: 'openid profile' });
    assert.deepEqual((await read()).droppedScopes, ['email', 'groups', 'profile']);
    assert.equal(await version(), before, 'a login is in the way of no administrator');
    const sent = { ...asked, droppedScopes: ['offline_access'], scopes: ['openid', 'groups'] };
    const saved = await (await asRoot()).call('PUT', path, sent);
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual((await read()).droppedScopes, ['email', 'profile']);
    await change(app.id, { scopes: ['openid', 'email', 'profile'] });
    assert.deepEqual((await read()).droppedScopes, ['groups']);
    for (const droppedScopes of [['email'], []]) await change(app.id, { droppedScopes });
    assert.deepEqual((await read()).droppedScopes, ['groups']);
  });

  test('may listen on any port of a loopback IP address, and of nothing else (RFC 8252 7.3)', async () => {
    const app = await registerClient(root, {
      redirectUris: [
        'http://127.0.0.1/cb',
        'http://[::1]:7000/cb?x=1',
        'http://localhost:5555/cb',
        'https://127.0.0.1/cb',
        'https://app.example.com/cb',
      ],
    });
    for (const [redirect_uri, status] of [
      ['http://127.0.0.1/cb', 302],
      ['http://127.0.0.1:61023/cb', 302],
      ['http://[::1]/cb?x=1', 302],
      ['http://[::1]:61023/cb?x=1', 302],
      ['http://localhost:5555/cb', 302],
      ['http://localhost:61023/cb', 400],
      ['https://127.0.0.1:61023/cb', 400],
      ['https://app.example.com:444/cb', 400],
      ['http://127.0.0.1:61023/other', 400],
      ['http://127.0.0.1:61023/cb?x=1', 400],
      ['http://127.0.0.1:0/cb', 400],
      ['http://127.0.0.1:65536/cb', 400],
      ['http://127.0.0.1:1@evil.example/cb', 400],
      ['http://127.0.0.1.evil.example/cb', 400],
      ['http://127.0.0.2/cb', 400],
    ] as const) {
      const answer = await authorize(server, { client_id: app.id, redirect_uri });
      assert.equal(answer.status, status, redirect_uri);
    }
    const redirect_uri = 'http://127.0.0.1:61023/cb';
    const code = await codeFor(server, app, 'alice', { redirect_uri });
    assert.equal((await redeemAs(server, app, code, { redirect_uri })).status, 200);
  });

  test('goes to no address that was taken from the client meanwhile, neither with a code nor with an error', async () => {
    const lost = 'https://lost.example/cb';
    const app = await registerClient(await asRoot(), { redirectUris: [appRedirectUri, lost] });
    const begin = () => authorize(server, { client_id: app.id, redirect_uri: lost });
    const [toCode, toError] = [authRequestIdOf(await begin()), authRequestIdOf(await begin())];
    const code = await codeFor(server, app, 'alice', { redirect_uri: lost });
    await change(app.id, { redirectUris: [appRedirectUri] });
    const refused = async (id: string) => {
      const answer = await submitPassword(server, id, 'alice', password);
      assert.deepEqual([answer.status, answer.headers.location], [400, undefined], answer.text);
    };
    await refused(toCode);
    await change(app.id, { allowedRoleAttributes: ['nobody has this'] });
    await refused(toError);
    await change(app.id, { allowedRoleAttributes: [] });
    assertError(await redeemAs(server, app, code, { redirect_uri: lost }), 400, 'invalid_grant');
    assert.equal((await redeemAs(server, app, await codeFor(server, app, 'alice'))).status, 200);
  });

  test('signs with the algorithm of the client', async () => {
    const app = await registerClient(root, { idTokenSigningAlg: 'ES256' });
    const { id_token } = await loginAt(server, app, 'alice');
    assert.equal(JSON.parse(Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString()).alg, 'ES256');
  });

  test("lasts as long as the client's settings say", async () => {
    const app = await registerClient(root, { accessTokenDuration: '2m', refreshTokenDuration: '10m' });
    const tokens = await loginAt(server, app, 'alice');
    assert.equal(tokens.expires_in, 120);
    const { exp, iat } = claimsOf(tokens.access_token);
    assert.equal(exp - iat, 120);
    clock.advance(2 * MINUTE);
    assert.equal((await userinfo(tokens.access_token)).status, 401);
    clock.advance(8 * MINUTE);
    assertError(await refreshAs(server, app, tokens.refresh_token), 400, 'invalid_grant');
  });
});

describe('a client authenticates', () => {
  /** What each endpoint at which clients authenticate takes besides the proof. */
  const endpoints: readonly [string, Record<string, string>][] = [
    ['token', { grant_type: 'refresh_token', refresh_token: 'x' }],
    ['revoke', { token: 'x' }],
    ['introspect', { token: 'x' }],
    [
      'par',
      { response_type: 'code', redirect_uri: appRedirectUri, scope: 'openid', code_challenge: challenge },
    ],
    ['device_authorization', { scope: 'openid' }],
  ];
  /** Whether each endpoint accepts who is calling, in the order of `endpoints`. */
  const accepted = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const answers = endpoints.map(([path, own]) =>
      server.post(`/oidc/${path}`, { form: { ...own, code_challenge_method: 'S256', ...form }, headers }),
    );
    return (await Promise.all(answers)).map(
      ({ status, text }) => status !== 401 && !text.includes('"invalid_request"'),
    );
  };
  const everywhere = endpoints.map(() => true);
  const nowhere = endpoints.map(() => false);

  test('with its secret in a header or in the form, whichever of both is registered', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const app = await registerClient(await asRoot(), { tokenEndpointAuthMethod: method });
      const inForm = { client_id: app.id, client_secret: app.secret };
      assert.deepEqual(await accepted({}, basic(app)), everywhere, method);
      assert.deepEqual(await accepted(inForm), everywhere, method);
      assert.deepEqual(await accepted({ client_id: app.id }, basic(app)), everywhere, method);
      const send = (form: Record<string, string>, headers: Record<string, string>) =>
        codeFor(server, app, 'alice').then((code) => redeemAs(server, app, code, form, headers));
      for (const good of [await send({}, basic(app)), await send(inForm, {})])
        assert.equal(good.status, 200, good.text);
      for (const [form, headers] of [
        [{ client_id: app.id }, {}],
        [{}, basic({ ...app, secret: '' })],
        [{}, basic({ ...app, secret: `${app.secret}x` })],
        [{ client_id: app.id, client_secret: app.secret.slice(1) }, {}],
        [{ client_id: app.id, client_secret: '' }, {}],
        [{}, basic({ id: 'nobody', secret: app.secret })],
        [{ client_id: 'nobody', client_secret: 'x' }, {}],
        [{ client_id: 'other' }, basic(app)],
        [inForm, basic({ id: 'other', secret: '' })],
        [{}, { authorization: 'Basic bm9jb2xvbg==' }],
      ] as [Record<string, string>, Record<string, string>][]) {
        const answer = await send(form, headers);
        assertNotAuthenticated(answer);
        assert.ok(!answer.text.includes(app.secret));
      }
      assertError(await send(inForm, basic(app)), 400, 'invalid_request');
      assert.deepEqual(await accepted(inForm, basic(app)), nowhere, method);
    }
  });

  test('and by no secret any more once it signs assertions', async () => {
    const app = await registerClient(await asRoot());
    await change(app.id, { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://app.example/jwks' });
    assert.deepEqual(await accepted({}, basic(app)), nowhere);
    assert.deepEqual(await accepted({ client_id: app.id, client_secret: app.secret }), nowhere);
    await change(app.id, { tokenEndpointAuthMethod: 'client_secret_post', jwksUri: null });
    assert.deepEqual(await accepted({}, basic(app)), everywhere);
  });

  test('and one without a secret is refused with one, by header and by body alike', async () => {
    const app = await registerClient(await asRoot(), { type: 'public' });
    for (const id of [app.id, 'overlay']) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x' };
      assertNotAuthenticated(
        await server.post('/oidc/token', { form: { ...form, client_id: id, client_secret: 'x' } }),
      );
      assertNotAuthenticated(await server.post('/oidc/token', { form, headers: basic({ id, secret: 'x' }) }));
      assertError(
        await server.post('/oidc/token', { form: { ...form, client_id: id } }),
        400,
        'invalid_grant',
      );
    }
    const code = await codeFor(server, app, 'alice');
    assert.equal((await redeemAs(server, app, code, { client_id: app.id }, {})).status, 200);
  });

  test('with either of two secrets, each until it is deleted', async () => {
    const app = await registerClient(await asRoot());
    clock.advance(SECOND);
    const second = { ...app, secret: await addSecret(root, app.id) };
    const works = async (which: TestClient) =>
      (await redeemAs(server, which, await codeFor(server, which, 'alice'))).status === 200;
    assert.deepEqual([await works(app), await works(second)], [true, true]);
    const listed = (await root.get(`oidc-clients/${app.id}/secrets`)).json.data;
    assert.equal(listed.length, 2);
    assert.equal(listed[0].lastUsedAt, new Date(clock.now()).toISOString());
    assert.equal((await root.call('DELETE', `oidc-clients/${app.id}/secrets/${listed[0].id}`)).status, 200);
    assert.deepEqual([await works(app), await works(second)], [false, true]);
  });

  test('and its codes and refresh tokens are useless to others, who cannot end anything', async () => {
    const [app, thief] = [await registerClient(await asRoot()), await registerClient(root)];
    const tokens = await loginAt(server, app, 'alice');
    clock.advance(3 * SECOND);
    assertError(await refreshAs(server, thief, tokens.refresh_token), 400, 'invalid_grant');
    assertError(await refresh(server, tokens.refresh_token), 400, 'invalid_grant');
    const again = await refreshAs(server, app, tokens.refresh_token);
    assert.equal(again.status, 200, again.text);
    const code = await codeFor(server, app, 'alice');
    assertError(await redeemAs(server, thief, code), 400, 'invalid_grant');
    assert.equal((await redeemAs(server, app, code)).status, 200);
    // A thief's revocation changes nothing; the client's own ends the session.
    const revoke = (which: TestClient) =>
      server.post('/oidc/revoke', { form: { token: again.json.refresh_token }, headers: basic(which) });
    assert.equal((await revoke(thief)).status, 200);
    assert.equal((await userinfo(again.json.access_token)).status, 200);
    assertNotAuthenticated(await revoke({ ...app, secret: 'x' }));
    assert.equal((await revoke(app)).status, 200);
    assert.equal((await userinfo(again.json.access_token)).status, 401);
  });
});

describe('PKCE', () => {
  test('may be waived for a confidential client, and is still enforced if it is used', async () => {
    const app = await registerClient(await asRoot(), { requirePkce: false });
    const without = { code_challenge: null, code_challenge_method: null };
    const redeem = (code: string, form: Record<string, string>) =>
      server.post('/oidc/token', {
        form: { grant_type: 'authorization_code', code, redirect_uri: appRedirectUri, ...form },
        headers: basic(app),
      });
    assert.equal((await redeem(await codeFor(server, app, 'alice', without), {})).status, 200);
    assert.equal(
      (await redeem(await codeFor(server, app, 'alice'), { code_verifier: verifier })).status,
      200,
    );
    // An attacker cannot drop the challenge on the way back, nor invent a verifier (RFC 9700 2.1.1).
    assertError(await redeem(await codeFor(server, app, 'alice'), {}), 400, 'invalid_grant');
    const code = await codeFor(server, app, 'alice', without);
    assertError(await redeem(code, { code_verifier: verifier }), 400, 'invalid_grant');
    const plain = await authorize(server, {
      client_id: app.id,
      redirect_uri: appRedirectUri,
      code_challenge_method: 'plain',
    });
    assert.match(locationOf(plain), /error=invalid_request/);
  });

  test('is required of everybody else', async () => {
    const app = await registerClient(await asRoot());
    const answer = await authorize(server, {
      client_id: app.id,
      redirect_uri: appRedirectUri,
      code_challenge: null,
    });
    assert.match(locationOf(answer), /^https:\/\/app\.example\/cb\?error=invalid_request/);
  });

  test('comes after the question whether a person is logged in', async () => {
    const answer = await authorize(server, { code_challenge: null, prompt: 'none' });
    assert.match(locationOf(answer), /error=login_required/);
  });
});

describe('an access token of an application', () => {
  const paths = [
    '/edge/client/v1/current-identity',
    '/edge/client/v1/current-api-session',
    '/edge/management/v1/identities',
    '/edge/management/v1/current-identity',
  ];

  test('does not work at the Edge APIs, whichever identity logged in', async () => {
    const app = await registerClient(await asRoot());
    const { access_token, refresh_token } = await loginAt(server, app, 'root');
    for (const path of paths) {
      const answer = await callWith(server, access_token, path);
      assert.equal(answer.status, 401, path);
      assert.match(
        String(answer.headers['www-authenticate']),
        /^Bearer realm="overlay-oidc", error="invalid"/,
      );
    }
    for (const method of ['POST', 'DELETE']) {
      const init = { headers: { authorization: `Bearer ${access_token}` }, json: {} };
      assert.equal((await server.request(method, '/edge/client/v1/current-identity/mfa', init)).status, 401);
    }
    // Nor does its session get a certificate; the refresh token still works.
    const csr = await refreshAs(server, app, refresh_token, { csr_pem: 'x' });
    assertError(csr, 400, 'invalid_request');
    assert.match(csr.json.error_description, /apiAccess/);
    assert.equal((await refreshAs(server, app, refresh_token)).status, 200);
  });

  test('works there while the client has apiAccess', async () => {
    const app = await registerClient(await asRoot(), { apiAccess: true });
    const { access_token } = await loginAt(server, app, 'root');
    assert.deepEqual(claimsOf(access_token).aud, ['overlay-edge-apis', app.id]);
    for (const path of paths) assert.equal((await callWith(server, access_token, path)).status, 200, path);
    await change(app.id, { apiAccess: false });
    for (const path of paths) assert.equal((await callWith(server, access_token, path)).status, 401, path);
    assert.equal((await userinfo(access_token)).status, 200);
  });

  test('is for a resource that the client may request, and for no other', async () => {
    const resource = 'https://api.example/v1';
    const app = await registerClient(await asRoot(), { resources: [resource] });
    const code = await codeFor(server, app, 'alice', { resource });
    const tokens = (await redeemAs(server, app, code, { resource })).json;
    assert.equal(claimsOf(tokens.access_token).aud, resource);
    assert.equal(claimsOf(tokens.id_token).aud, app.id);
    for (const wrong of ['https://api.example/v2', 'overlay-edge-apis', 'https://api.example/v1#x']) {
      const begun = await authorize(server, {
        client_id: app.id,
        redirect_uri: appRedirectUri,
        resource: wrong,
      });
      assert.match(locationOf(begun), /error=invalid_target/);
      const refused = await refreshAs(server, app, tokens.refresh_token, { resource: wrong });
      assertError(refused, 400, 'invalid_target');
    }
  });

  test('is for what the authorization request named, or for part of it', async () => {
    const [one, two, three] = ['https://api.example/1', 'https://api.example/2', 'https://api.example/3'];
    const app = await registerClient(await asRoot(), { resources: [one, two, three] });
    const asked = { client_id: app.id, redirect_uri: appRedirectUri };
    const begun = await authorize(server, { ...asked, resource: one }, [['resource', two]]);
    const code = codeOf(await submitPassword(server, authRequestIdOf(begun), 'alice', password));
    assertError(await redeemAs(server, app, code, { resource: three }), 400, 'invalid_target');
    const tokens = (await redeemAs(server, app, code)).json;
    assert.deepEqual(claimsOf(tokens.access_token).aud, [one, two], 'and the code was not used up');
    assertError(
      await refreshAs(server, app, tokens.refresh_token, { resource: three }),
      400,
      'invalid_target',
    );
    const less = (await refreshAs(server, app, tokens.refresh_token, { resource: two })).json;
    assert.equal(claimsOf(less.access_token).aud, two);
    const again = (await refreshAs(server, app, less.refresh_token)).json;
    assert.deepEqual(claimsOf(again.access_token).aud, [one, two], 'the grant stays');
    await change(app.id, { resources: [two] });
    const left = (await refreshAs(server, app, again.refresh_token)).json;
    assert.equal(claimsOf(left.access_token).aud, two, 'what was taken from the client is left out');
  });

  test('ends with the client, and so do its sessions and its logins', async () => {
    const app = await registerClient(await asRoot());
    const tokens = await loginAt(server, app, 'alice');
    const code = await codeFor(server, app, 'alice');
    assert.equal((await root.call('DELETE', `oidc-clients/${app.id}`)).status, 200);
    assert.equal((await userinfo(tokens.access_token)).status, 401);
    assertNotAuthenticated(await refreshAs(server, app, tokens.refresh_token));
    // A later client with the same id is a different one.
    const later = await registerClient(root, { id: app.id });
    assertError(await refreshAs(server, later, tokens.refresh_token), 400, 'invalid_grant');
    assertError(await redeemAs(server, later, code), 400, 'invalid_grant');
    assert.equal((await userinfo(tokens.access_token)).status, 401);
  });
});

describe('the identities that may use a client', () => {
  test('is checked at the login, at the code, at the refresh and at each call', async () => {
    const app = await registerClient(await asRoot(), {
      allowedRoleAttributes: ['staff', 'guests'],
      apiAccess: true,
    });
    const attributes = async (roleAttributes: string[]) =>
      assert.equal((await root.call('PATCH', `identities/${aliceId}`, { roleAttributes })).status, 200);
    await attributes(['other']);
    const refused = await loginStep(server, app, 'alice');
    assert.equal(refused.status, 302, refused.text);
    const location = new URL(locationOf(refused));
    assert.equal(`${location.origin}${location.pathname}`, appRedirectUri);
    const { searchParams } = location;
    assert.deepEqual(
      [
        searchParams.get('error'),
        searchParams.get('state'),
        searchParams.get('iss'),
        searchParams.get('code'),
      ],
      ['access_denied', 's1', server.issuer, null],
    );
    const reference = String(refused.headers['x-request-id']);
    const [attempt] = (await root.get(`login-attempts?filter=reference="${reference}"`)).json.data;
    assert.equal(attempt.reason, 'client-not-allowed');

    await attributes(['guests']);
    const tokens = await loginAt(server, app, 'alice');
    const code = await codeFor(server, app, 'alice');
    await attributes([]);
    assert.equal((await userinfo(tokens.access_token)).status, 401);
    assert.equal((await callWith(server, tokens.access_token)).status, 401);
    assertError(await refreshAs(server, app, tokens.refresh_token), 400, 'invalid_grant');
    assertError(await redeemAs(server, app, code), 400, 'invalid_grant');
    await attributes(['staff']);
    assert.equal((await refreshAs(server, app, tokens.refresh_token)).status, 200);
  });

  test('a wrong password gets the same answer, whether or not the identity may use the client', async () => {
    const app = await registerClient(await asRoot(), { allowedRoleAttributes: ['nobody'] });
    const begun = await authorize(server, { client_id: app.id, redirect_uri: appRedirectUri });
    const id = new URL(locationOf(begun), server.url).searchParams.get('authRequestID');
    const json = { authRequestId: id, username: 'alice', password: 'wrong' };
    assert.equal((await server.post('/oidc/login/username', { json })).status, 401);
  });
});

describe('claims for applications', () => {
  test("follow scope and the client's mapping, at userinfo and nowhere else", async () => {
    const tags = { email: 'alice@corp.example', mail: 'a@corp.example', empty: '' };
    await (await asRoot()).call('PATCH', `identities/${aliceId}`, { roleAttributes: ['dev', 'ops'], tags });
    const all = ['openid', 'profile', 'email', 'groups', 'offline_access'];
    const app = await registerClient(root, { scopes: all });
    const tokens = await loginAt(server, app, 'alice');
    assert.deepEqual((await userinfo(tokens.access_token)).json, {
      sub: aliceId,
      name: 'alice',
      preferred_username: 'alice',
      email: 'alice@corp.example',
      groups: ['dev', 'ops'],
    });
    for (const name of ['name', 'email', 'groups']) assert.equal(name in claimsOf(tokens.id_token), false);
    const scope = 'openid email';
    const narrow = (await refreshAs(server, app, tokens.refresh_token, { scope })).json;
    assert.deepEqual((await userinfo(narrow.access_token)).json, {
      sub: aliceId,
      email: 'alice@corp.example',
    });
    await change(app.id, { claims: { email: 'tags.mail', groups: 'tags.empty', name: 'tags.__proto__' } });
    assert.deepEqual((await userinfo(tokens.access_token)).json, {
      sub: aliceId,
      preferred_username: 'alice',
      email: 'a@corp.example',
    });
    const { scopes_supported } = (await server.get('/oidc/.well-known/openid-configuration')).json;
    assert.deepEqual(scopes_supported, all);
  });

  test('get email and email_verified from the field of the identity, and the address alone from a tag', async () => {
    const admin = await asRoot();
    const app = await registerClient(admin);
    const { access_token } = await loginAt(server, app, 'alice');
    const mailOf = async (fields: object) => {
      assert.equal((await admin.call('PATCH', `identities/${aliceId}`, fields)).status, 200);
      const { email, email_verified } = (await userinfo(access_token)).json;
      return [email, email_verified];
    };
    const tags = { email: 'old@corp.example' };
    assert.deepEqual(await mailOf({ tags }), ['old@corp.example', undefined]);
    assert.deepEqual(await mailOf({ email: 'alice@corp.example' }), ['alice@corp.example', false]);
    assert.deepEqual(await mailOf({ emailVerified: true }), ['alice@corp.example', true]);
    await change(app.id, { claims: { email: 'tags.email' } });
    assert.deepEqual(await mailOf({}), ['old@corp.example', undefined]);
    await change(app.id, { claims: { email: 'email' } });
    assert.deepEqual(await mailOf({ email: null, tags: {} }), [undefined, undefined]);
    const { claims_supported } = (await server.get('/oidc/.well-known/openid-configuration')).json;
    assert.ok(['email', 'email_verified'].every((claim) => claims_supported.includes(claim)));
  });

  test('are not given for scopes that the client does not have, and a refresh may repeat them', async () => {
    const app = await registerClient(await asRoot(), { scopes: ['openid', 'offline_access', 'profile'] });
    const tokens = await loginAt(server, app, 'alice');
    assert.deepEqual(Object.keys((await userinfo(tokens.access_token)).json), [
      'sub',
      'name',
      'preferred_username',
    ]);
    const scope = 'openid offline_access profile email groups';
    assert.equal((await refreshAs(server, app, tokens.refresh_token, { scope })).status, 200);
    const few = await loginAt(server, app, 'alice', { scope: 'openid offline_access' });
    assertError(
      await refreshAs(server, app, few.refresh_token, { scope: 'openid profile' }),
      400,
      'invalid_scope',
    );
    const code = await codeFor(server, app, 'alice');
    await change(app.id, { scopes: ['openid'] });
    assertError(await refreshAs(server, app, few.refresh_token), 400, 'invalid_grant');
    assert.deepEqual(
      (await userinfo(tokens.access_token)).json,
      { sub: aliceId },
      'taken from the client since',
    );
    const late = (await redeemAs(server, app, code)).json;
    assert.deepEqual([late.scope, late.refresh_token], ['openid', undefined]);
  });
});

describe('introspection by a client', () => {
  test('tells it about its own tokens only', async () => {
    const [app, other] = [await registerClient(await asRoot()), await registerClient(root)];
    const { access_token, refresh_token } = await loginAt(server, app, 'alice');
    const ask = (token: string, which: TestClient) =>
      server.post('/oidc/introspect', { form: { token }, headers: basic(which) });
    for (const token of [access_token, refresh_token]) {
      const own = await ask(token, app);
      assert.deepEqual([own.status, own.json.active, own.json.client_id], [200, true, app.id]);
      assert.deepEqual((await ask(token, other)).json, { active: false });
      assertNotAuthenticated(await ask(token, { ...app, secret: 'x' }));
    }
    const publicApp = await registerClient(root, { type: 'public' });
    assertNotAuthenticated(await ask(access_token, publicApp));
    // An application that holds an administrator's token is no administrator.
    const asAdmin = await loginAt(server, other, 'root');
    const headers = { authorization: `Bearer ${asAdmin.access_token}` };
    const answer = await server.post('/oidc/introspect', { form: { token: access_token }, headers });
    assert.deepEqual(answer.json, { active: false });
  });
});

describe('logout of a registered client', () => {
  test('continues to its own addresses only', async () => {
    const app = await registerClient(await asRoot(), { postLogoutRedirectUris: ['https://app.example/bye'] });
    const logout = async (post_logout_redirect_uri: string) => {
      const { id_token } = await loginAt(server, app, 'alice');
      return server.post('/oidc/end_session', {
        form: { id_token_hint: id_token, post_logout_redirect_uri },
      });
    };
    assert.equal((await logout('https://app.example/bye')).headers.location, 'https://app.example/bye');
    assert.equal((await logout('http://localhost:8400/auth/logout')).status, 400);
    const tokens = await login(server, 'alice', password);
    const form = { id_token_hint: tokens.id_token, post_logout_redirect_uri: 'https://app.example/bye' };
    assert.equal((await server.post('/oidc/end_session', { form })).status, 400);
  });
});

describe('scripts of an application', () => {
  test('may call the protocol from the origin of a public client, and the login and the APIs only if allowed', async () => {
    const origin = 'https://spa.example';
    const fields = { type: 'public', redirectUris: [`${origin}/cb`] };
    const allowed = async (path: string) => {
      const answer = await server.request('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      return answer.headers['access-control-allow-origin'] === origin;
    };
    const all = async () => [
      await allowed('/oidc/token'),
      await allowed('/oidc/userinfo'),
      await allowed('/oidc/login/username'),
      await allowed('/edge/client/v1/current-identity'),
    ];
    assert.deepEqual(await all(), [false, false, false, false]);
    await registerClient(await asRoot(), { redirectUris: fields.redirectUris });
    assert.deepEqual(
      await all(),
      [false, false, false, false],
      'a confidential client calls from its server',
    );
    const app = await registerClient(root, fields);
    assert.deepEqual(await all(), [true, true, false, false]);
    await change(app.id, { apiAccess: true });
    assert.deepEqual(await all(), [true, true, true, true]);
    assert.equal((await root.call('DELETE', `oidc-clients/${app.id}`)).status, 200);
    assert.deepEqual(await all(), [false, false, false, false]);
  });
});

test('no secret is in the log', async () => {
  const app = await registerClient(await asRoot(), { tokenEndpointAuthMethod: 'client_secret_post' });
  await redeemAs(server, app, 'x', { client_id: app.id, client_secret: app.secret }, {});
  assert.ok(!JSON.stringify(server.log.entries).includes(app.secret));
});
