// What the modules of the certification plans ask (OpenID conformance suite: Config, Basic, Form Post Basic,
// RP-initiated logout), under their names. The suite itself runs from outside; here each essential check has a test, in
// a browser without scripts that stays signed in.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { SECOND } from '../../src/platform/clock.ts';
import { asksForLogin, follow, withBrowserSession } from '../support/browser-session.ts';
import { type CookieBrowser, cookieBrowser, hiddenFields } from '../support/cookie-browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { challenge, claimsOf, verifier } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { basic, registerClient, type TestClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const callback = 'https://suite.example/test/a/alias/callback';
const afterLogout = 'https://suite.example/test/a/alias/post_logout_redirect';
/** The same length and characters as those the suite sends. */
const longState = `${'aZ09-._~'.repeat(16)}`;
const clock = fixedClock('2026-01-01T00:00:00Z');
const keys = await generateKeyPair('ES256', { extractable: true });

const server = await serverOfFile({ clock, configure: withBrowserSession });
const root = await rootOf(server);
await server.createUser({ name: 'alice', password });

type Parameters = Readonly<Record<string, string | null>>;
type Auth = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

interface Plan {
  readonly name: string;
  readonly auth: Auth;
  readonly mode: 'query' | 'form_post';
}

const plans: readonly Plan[] = [
  { name: 'Basic with client_secret_basic', auth: 'client_secret_basic', mode: 'query' },
  { name: 'Basic with private_key_jwt', auth: 'private_key_jwt', mode: 'query' },
  { name: 'Form Post Basic', auth: 'client_secret_basic', mode: 'form_post' },
];

/** A registered client of the suite: the suite sends no PKCE. */
async function suiteClient(auth: Auth): Promise<TestClient> {
  const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', use: 'sig', alg: 'ES256' }] };
  return registerClient(root, {
    redirectUris: [callback],
    postLogoutRedirectUris: [afterLogout],
    requirePkce: false,
    tokenEndpointAuthMethod: auth,
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    ...(auth === 'private_key_jwt' ? { jwks } : {}),
  });
}

async function authentication({ id, secret }: TestClient, auth: Auth) {
  if (auth === 'client_secret_basic') return { headers: basic({ id, secret }), form: {} };
  if (auth === 'client_secret_post') return { headers: {}, form: { client_id: id, client_secret: secret } };
  const now = Math.floor(clock.now() / 1000);
  const assertion = await new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(id)
    .setSubject(id)
    .setAudience(`${server.issuer}/token`)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(keys.privateKey);
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { headers: {}, form: { client_assertion_type: type, client_assertion: assertion } };
}

async function tokenRequest(client: TestClient, auth: Auth, form: Record<string, string>): Promise<Answer> {
  const proof = await authentication(client, auth);
  return server.post('/oidc/token', { headers: proof.headers, form: { ...form, ...proof.form } });
}

/** What the client received, by redirect or by form post. */
function answerOf(answer: Answer): URLSearchParams {
  if (answer.status === 302) {
    const location = String(answer.headers.location);
    assert.ok(location.startsWith(`${callback}?`), location);
    return new URL(location).searchParams;
  }
  assert.equal(answer.status, 200, answer.text);
  assert.ok(answer.text.includes(`action="${callback}"`), answer.text);
  return new URLSearchParams(hiddenFields(answer));
}

function assertErrorPage(answer: Answer): void {
  assert.equal(answer.status, 400);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.equal(answer.headers.location, undefined);
  assert.equal(answer.text.includes('suite.example'), false);
}

/** A module of a plan: its clients, and a browser that starts empty. */
function moduleOf(plan: Plan, client: TestClient) {
  const browser = cookieBrowser(server);
  const query = (changes: Parameters) => {
    const whole = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: callback,
      scope: 'openid',
      state: longState,
      nonce: 'n',
      ...(plan.mode === 'query' ? {} : { response_mode: plan.mode }),
      ...changes,
    };
    const pairs = Object.entries(whole).filter((pair): pair is [string, string] => pair[1] !== null);
    return new URLSearchParams(pairs).toString();
  };
  const ask = (changes: Parameters = {}) => browser.get(`/oidc/authorization?${query(changes)}`);
  const logIn = async (asked: Answer): Promise<Answer> => {
    assert.ok(asksForLogin(asked), `${asked.status} ${asked.headers.location}`);
    return browser.submit(await follow(browser, asked), { username: 'alice', password });
  };
  const redeem = (answer: Answer, form: Record<string, string> = {}, auth = plan.auth) => {
    const code = answerOf(answer).get('code') ?? '';
    const whole = { grant_type: 'authorization_code', code, redirect_uri: callback, ...form };
    return tokenRequest(client, auth, whole);
  };
  const tokensOf = async (answer: Answer) => {
    const tokens = await redeem(answer);
    assert.equal(tokens.status, 200, tokens.text);
    return { ...tokens.json, claims: claimsOf(tokens.json.id_token) };
  };
  /** A login from the start: tokens and claims. */
  const whole = async (changes: Parameters = {}) => tokensOf(await logIn(await ask(changes)));
  return { browser, query, ask, logIn, redeem, tokensOf, whole };
}

describe('the plan Config', () => {
  test('discovery-endpoint-verification', async () => {
    const answer = await server.get('/oidc/.well-known/openid-configuration');
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    const document = answer.json;
    assert.equal(
      `${document.issuer}/.well-known/openid-configuration`,
      `${server.url}/oidc/.well-known/openid-configuration`,
    );
    for (const [name, value] of Object.entries(document)) {
      if (name.endsWith('_endpoint') || name === 'jwks_uri') assert.match(String(value), /^https:/, name);
    }
    for (const [name, value] of [
      ['response_types_supported', 'code'],
      ['response_modes_supported', 'form_post'],
      ['subject_types_supported', 'public'],
      ['id_token_signing_alg_values_supported', 'RS256'],
      ['scopes_supported', 'openid'],
      ['grant_types_supported', 'refresh_token'],
      ['claims_supported', 'sub'],
      ['token_endpoint_auth_methods_supported', 'client_secret_basic'],
      ['token_endpoint_auth_methods_supported', 'private_key_jwt'],
      ['code_challenge_methods_supported', 'S256'],
    ]) {
      assert.ok(document[String(name)].includes(value), `${name} ${value}`);
    }
    assert.equal(document.request_parameter_supported, false);
    assert.equal(document.request_uri_parameter_supported, false);
    assert.equal(document.claims_parameter_supported, false);
    for (const tag of document.ui_locales_supported) assert.equal(Intl.getCanonicalLocales(tag)[0], tag);
    // Our own member: docs/decisions/discovery-members.md.
    assert.deepEqual(
      Object.keys(document).filter((name) => name.startsWith('overlay')),
      ['overlay_login_endpoints'],
    );

    const { json } = await server.get(new URL(document.jwks_uri).pathname);
    const kids = json.keys.map(({ kid }: { kid: string }) => kid);
    assert.equal(new Set(kids).size, kids.length);
    for (const key of json.keys) {
      assert.ok(['EC', 'RSA', 'OKP'].includes(key.kty) && typeof key.kid === 'string');
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(secret in key, false);
    }
  });
});

for (const plan of plans) {
  describe(`the plan ${plan.name}`, () => {
    let client: TestClient;
    let second: TestClient;
    before(async () => {
      [client, second] = [await suiteClient(plan.auth), await suiteClient(plan.auth)];
    });
    const start = () => moduleOf(plan, client);
    const error = (answer: Answer) => answerOf(answer).get('error');

    test('server', async () => {
      const { ask, logIn, redeem } = start();
      const answer = await logIn(await ask());
      const sent = answerOf(answer);
      assert.equal(sent.get('state'), longState);
      assert.deepEqual([...sent.keys()].sort(), ['code', 'iss', 'state']);
      assert.ok(new Set(sent.get('code')).size > 16);
      const tokens = await redeem(answer);
      assert.equal(tokens.headers['cache-control'], 'no-store');
      assert.equal(tokens.json.token_type, 'Bearer');
      assert.ok(tokens.json.expires_in > 0);
      const keySet = createLocalJWKSet((await server.get('/oidc/keys')).json);
      const { payload, protectedHeader } = await jwtVerify(tokens.json.id_token, keySet, {
        issuer: server.issuer,
        audience: client.id,
        currentDate: new Date(clock.now()),
      });
      assert.equal(protectedHeader.alg, 'RS256');
      assert.equal(payload.nonce, 'n');
      const known = 'iss sub aud exp iat auth_time nonce acr amr azp at_hash sid'.split(' ');
      assert.deepEqual(
        Object.keys(payload).filter((claim) => !known.includes(claim)),
        [],
      );
    });

    test('response-type-missing', async () => {
      assert.equal(error(await start().ask({ response_type: null })), 'invalid_request');
    });

    test('userinfo-get, userinfo-post-header, userinfo-post-body', async () => {
      const { access_token, claims } = await start().whole();
      const headers = { authorization: `Bearer ${access_token}` };
      for (const answer of [
        await server.get('/oidc/userinfo', { headers }),
        await server.post('/oidc/userinfo', { headers }),
        await server.post('/oidc/userinfo', { form: { access_token } }),
      ]) {
        assert.equal(answer.status, 200);
        assert.match(String(answer.headers['content-type']), /^application\/json/);
        assert.equal(answer.json.sub, claims.sub);
      }
    });

    test('ensure-request-without-nonce-succeeds-for-code-flow', async () => {
      assert.equal('nonce' in (await start().whole({ nonce: null })).claims, false);
    });

    test('scope-profile, scope-email, ensure-other-scope-order-succeeds', async () => {
      for (const scope of ['openid profile', 'openid email', 'email profile openid']) {
        const { access_token, claims } = await start().whole({ scope });
        const headers = { authorization: `Bearer ${access_token}` };
        const info = (await server.get('/oidc/userinfo', { headers })).json;
        assert.equal('name' in info, scope.includes('profile'), scope);
        for (const claim of ['name', 'email', 'preferred_username']) assert.equal(claim in claims, false);
      }
    });

    test('display-page, display-popup, login-hint, ui-locales, claims-locales, unknown parameter', async () => {
      for (const [name, value] of [
        ['display', 'page'],
        ['display', 'popup'],
        ['login_hint', 'buffy@suite.example'],
        ['ui_locales', 'se'],
        ['claims_locales', 'se'],
        ['extra', 'foobar'],
      ] as const) {
        await start().whole({ [name]: value });
      }
    });

    test('claims-essential: the parameter is not supported, and harms nothing', async () => {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
      assert.equal('name' in (await start().whole({ claims })).claims, false);
    });

    test('prompt-login', async () => {
      const { ask, logIn, tokensOf, whole } = start();
      const first = await whole();
      clock.advance(SECOND);
      const again = await tokensOf(await logIn(await ask({ prompt: 'login' })));
      assert.ok(again.claims.auth_time > first.claims.auth_time);
    });

    test('prompt-none-not-logged-in', async () => {
      const sent = answerOf(await start().ask({ prompt: 'none' }));
      assert.equal(sent.get('error'), 'login_required');
      assert.equal(sent.get('state'), longState);
      assert.deepEqual([...sent.keys()].sort(), ['error', 'error_description', 'iss', 'state']);
      assert.match(sent.get('error_description') ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    });

    test('prompt-none-logged-in, id-token-hint', async () => {
      const { ask, tokensOf, whole } = start();
      const first = await whole();
      clock.advance(SECOND);
      for (const more of [{}, { id_token_hint: first.id_token }]) {
        const { claims } = await tokensOf(await ask({ prompt: 'none', ...more }));
        assert.deepEqual([claims.sub, claims.auth_time], [first.claims.sub, first.claims.auth_time]);
      }
    });

    test('max-age-1', async () => {
      const { ask, logIn, tokensOf, whole } = start();
      const first = await whole();
      clock.advance(2 * SECOND);
      const { claims } = await tokensOf(await logIn(await ask({ max_age: '1' })));
      assert.ok(claims.auth_time > first.claims.auth_time && claims.iat - claims.auth_time < 1);
    });

    test('max-age-10000', async () => {
      const { ask, tokensOf, whole } = start();
      const first = await whole({ max_age: '15000' });
      clock.advance(2 * SECOND);
      const { claims } = await tokensOf(await ask({ max_age: '10000' }));
      assert.equal(claims.auth_time, first.claims.auth_time);
    });

    test('ensure-request-with-acr-values-succeeds', async () => {
      const supported = (await server.get('/.well-known/openid-configuration')).json.acr_values_supported;
      const { claims } = await start().whole({ acr_values: supported.join(' ') });
      assert.ok(supported.includes(claims.acr));
    });

    test('codereuse, codereuse-30seconds', async () => {
      for (const wait of [0, 30 * SECOND]) {
        const { ask, logIn, redeem } = start();
        const answer = await logIn(await ask());
        const { access_token } = (await redeem(answer)).json;
        clock.advance(wait);
        const again = await redeem(answer);
        assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant']);
        const headers = { authorization: `Bearer ${access_token}` };
        assert.equal((await server.get('/oidc/userinfo', { headers })).status, 401);
      }
    });

    test('ensure-registered-redirect-uri, redirect-uri-query-added', async () => {
      assertErrorPage(await start().ask({ redirect_uri: `${callback}/other` }));
      assertErrorPage(await start().ask({ redirect_uri: `${callback}?query=added` }));
    });

    test('ensure-post-request-succeeds', async () => {
      const { browser, query, logIn, tokensOf } = start();
      const form = Object.fromEntries(new URLSearchParams(query({})));
      const cross = { origin: 'https://suite.example', 'sec-fetch-site': 'cross-site' };
      const posted = await browser.post('/oidc/authorization', form, cross);
      await tokensOf(await logIn(await browser.get(String(posted.headers.location))));
    });

    test('server-client-secret-post', async () => {
      const posting = await suiteClient('client_secret_post');
      const { ask, logIn, redeem } = moduleOf({ ...plan, auth: 'client_secret_post' }, posting);
      assert.equal((await redeem(await logIn(await ask()))).status, 200);
    });

    test('unsigned-request-object, ensure-request-object-with-redirect-uri', async () => {
      const request = new UnsecuredJWT({ redirect_uri: callback }).encode();
      const sent = answerOf(await start().ask({ request }));
      assert.deepEqual([sent.get('error'), sent.get('state')], ['request_not_supported', longState]);
      assertErrorPage(await start().ask({ request, redirect_uri: `${callback}/other` }));
    });

    test('refresh-token', async () => {
      const { whole } = start();
      const first = await whole({ scope: 'openid offline_access', prompt: 'consent' });
      assert.match(first.refresh_token, /^[\x20-\x7e]{22,}$/);
      const refresh = (of: TestClient, token: string, more = {}) =>
        tokenRequest(of, plan.auth, { grant_type: 'refresh_token', refresh_token: token, ...more });
      clock.advance(SECOND);
      const foreign = await refresh(second, first.refresh_token);
      assert.deepEqual([foreign.status, foreign.json.error], [400, 'invalid_grant']);
      const next = await refresh(client, first.refresh_token);
      assert.equal(next.headers['cache-control'], 'no-store');
      const last = await refresh(client, next.json.refresh_token, { scope: 'openid offline_access' });
      for (const { json } of [next, last]) {
        const { iat, ...claims } = claimsOf(json.id_token);
        assert.notEqual(iat, first.claims.iat);
        for (const same of ['iss', 'sub', 'aud', 'azp', 'auth_time']) {
          assert.equal(claims[same], first.claims[same], same);
        }
      }
    });

    test('ensure-request-with-valid-pkce-succeeds', async () => {
      const { ask, logIn, redeem } = start();
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
      const answer = await logIn(await ask(pkce));
      assert.equal((await redeem(answer, { code_verifier: verifier })).status, 200);
    });
  });
}

describe('the plan RP-initiated logout', () => {
  let client: TestClient;
  before(async () => {
    client = await suiteClient('client_secret_basic');
  });
  const plan: Plan = { name: 'logout', auth: 'client_secret_basic', mode: 'query' };
  const logOut = (browser: CookieBrowser, asked: Record<string, string> = {}) =>
    browser.get(`/oidc/end_session?${new URLSearchParams(asked)}`);

  async function loggedIn() {
    const module = moduleOf(plan, client);
    const { id_token } = await module.whole();
    const isOut = async () =>
      answerOf(await module.ask({ prompt: 'none' })).get('error') === 'login_required';
    return { ...module, id_token: String(id_token), isOut };
  }

  test('discovery-endpoint-verification', async () => {
    const { json } = await server.get('/oidc/.well-known/openid-configuration');
    assert.match(json.end_session_endpoint, /^https:/);
  });

  test('with a hint and a state, and without a state', async () => {
    for (const state of [longState, null]) {
      const { browser, id_token, isOut } = await loggedIn();
      const asked = { id_token_hint: id_token, post_logout_redirect_uri: afterLogout };
      const answer = await logOut(browser, { ...asked, ...(state === null ? {} : { state }) });
      const location = new URL(String(answer.headers.location));
      assert.equal(`${location.origin}${location.pathname}`, afterLogout);
      assert.deepEqual([...location.searchParams], state === null ? [] : [['state', state]]);
      assert.ok(await isOut());
    }
  });

  test('bad-post-logout-redirect-uri, query-added-to-post-logout-redirect-uri', async () => {
    for (const uri of [`${afterLogout}/other`, `${afterLogout}?query=added`]) {
      const { browser, id_token } = await loggedIn();
      assertErrorPage(await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: uri }));
    }
  });

  test('modified-id-token-hint, bad-id-token-hint', async () => {
    const { browser, id_token, isOut } = await loggedIn();
    const unsigned = new UnsecuredJWT(claimsOf(id_token)).encode();
    const foreign = await new SignJWT(claimsOf(id_token))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(keys.privateKey);
    for (const hint of [unsigned, foreign]) {
      assertErrorPage(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: afterLogout }));
    }
    assert.equal(await isOut(), false);
  });

  test('no-id-token-hint', async () => {
    const { browser } = await loggedIn();
    assertErrorPage(await logOut(browser, { post_logout_redirect_uri: afterLogout }));
  });

  test('no-params, only-state, no-post-logout-redirect-uri', async () => {
    for (const asked of [{}, { state: longState }]) {
      const { browser, isOut } = await loggedIn();
      const done = await browser.submit(await logOut(browser, asked));
      assert.match(done.text, /You are signed out/);
      assert.ok(await isOut());
    }
    const { browser, id_token, isOut } = await loggedIn();
    assert.match((await logOut(browser, { id_token_hint: id_token })).text, /You are signed out/);
    assert.ok(await isOut());
  });
});
