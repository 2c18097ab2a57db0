// Staying signed in in a browser (options.browserSession of a binding): what the client may ask for, and what ends it.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { auditedBy } from '../support/audit.ts';
import {
  asksForLogin,
  asksWhom,
  authorizeIn,
  broughtBack,
  follow,
  sessionCookieName,
  signedInBrowser,
  signIn,
  webRedirectUri,
  withBrowserSession,
} from '../support/browser-session.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import { type CookieBrowser, cookieBrowser, hiddenFields } from '../support/cookie-browser.ts';
import { createIdentity, createSigner, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  callWith,
  claimsOf,
  codeOf,
  redeem as redeemAt,
  redirectUri,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { appRedirectUri, redeemAs, registerClient } from '../support/oidc-clients.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, totpPolicy } from '../support/totp.ts';

// Certificates are made by the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
// One thread: it reaches into the store of that, and reads the log at once.
const server = await serverOfFile({ clock, configure: withBrowserSession, threads: 1 });
const root = await rootOf(server);
const wiki = await registerClient(root, { name: 'Wiki' });
const toWiki = { client_id: wiki.id, redirect_uri: appRedirectUri };

let people = 0;
async function person(): Promise<{ readonly id: IdentityId; readonly name: string }> {
  people += 1;
  const name = `person${people}`;
  return { id: await server.createUser({ name, password }), name };
}

async function signedIn() {
  const who = await person();
  return { ...who, browser: await signedInBrowser(server, who.name) };
}

const redeem = (at: Parameters<typeof redeemAt>[0], code: string) =>
  redeemAt(at, code, { redirect_uri: webRedirectUri });
const idTokenOf = async (answer: Answer) => claimsOf((await redeem(server, codeOf(answer))).json.id_token);
const errorOf = (answer: Answer) => broughtBack(answer).get('error');
const silently = (browser: CookieBrowser, more: Record<string, string> = {}) =>
  authorizeIn(browser, { prompt: 'none', ...more });

/** Something happens after the session has been judged, and before that counts. */
function meanwhile(t: TestContext, action: () => Promise<unknown>): void {
  const { browserSessions } = server.store;
  const continueWith = browserSessions.continueWith.bind(browserSessions);
  t.mock.method(
    browserSessions,
    'continueWith',
    async (use: Parameters<typeof continueWith>[0]) => {
      await action();
      return continueWith(use);
    },
    { times: 1 },
  );
}

const signOut = (id: IdentityId) => root.call('DELETE', `identities/${id}/api-sessions`);

describe('a second authorization of the same application', () => {
  test('answers at once, with the time and the methods of the login', async () => {
    const who = await person();
    const browser = cookieBrowser(server);
    const opening = await signIn(browser, who.name);
    const first = await idTokenOf(opening);
    const said = (answer: Answer, event: string) =>
      auditedBy(server, answer)
        .filter((line) => line.event === event)
        .map(({ identityId, clientId }) => [identityId, clientId]);
    assert.deepEqual(said(opening, 'browser-session.opened'), [[who.id, 'overlay']]);
    assert.deepEqual(said(await authorizeIn(browser), 'browser-session.used'), [[who.id, 'overlay']]);
    const wider = await authorizeIn(browser, { scope: 'openid made-up' });
    await server.controller.services.attempts.flush();
    const [record] = await server.store.loginAttempts.findByReference(String(wider.headers['x-request-id']));
    assert.deepEqual([record?.identityId, record?.outcome, record?.mechanism], [who.id, 'passed', 'oidc']);
    assert.match(JSON.stringify(record?.checks), /not among those of the application: .*made-up/);
    clock.advance(5 * MINUTE);
    for (const changes of [{}, { prompt: 'none' }, { max_age: '1000' }, { scope: 'openid' }]) {
      const claims = await idTokenOf(await authorizeIn(browser, changes));
      const { sub, auth_time, amr, acr } = first;
      assert.deepEqual([claims.sub, claims.auth_time, claims.amr, claims.acr], [sub, auth_time, amr, acr]);
      assert.notEqual(claims.iat, first.iat);
      assert.notEqual(claims.sid, first.sid);
    }
  });

  test('asks again with prompt=login, and where the login is older than max_age', async () => {
    const { browser, name } = await signedIn();
    assert.ok(asksForLogin(await authorizeIn(browser, { prompt: 'login' })));
    assert.ok(!asksForLogin(await authorizeIn(browser, { max_age: '1' })));
    clock.advance(SECOND);
    assert.ok(!asksForLogin(await authorizeIn(browser, { max_age: '1' })));
    clock.advance(SECOND);
    const asked = await authorizeIn(browser, { max_age: '1' });
    assert.ok(asksForLogin(asked));
    assert.ok(asksForLogin(await authorizeIn(browser, { max_age: '0' })));
    const page = await follow(browser, asked);
    const { auth_time, iat } = await idTokenOf(await browser.submit(page, { username: name, password }));
    assert.equal(auth_time, iat);
    assert.equal(errorOf(await silently(browser, { max_age: '60' })), null);
    clock.advance(2 * MINUTE);
    assert.equal(errorOf(await silently(browser, { max_age: '60' })), 'login_required');
  });

  test('cannot avoid prompt=login through the page that says who is signed in', async () => {
    const { browser } = await signedIn();
    const id = authRequestIdOf(await authorizeIn(browser, { prompt: 'login' }));
    assert.ok(asksForLogin(await browser.get(`/oidc/login/continue?authRequestID=${id}`)));
  });

  test('asks again with max_age=0, whatever the clocks of two nodes say', async () => {
    const { browser } = await signedIn();
    // As at a node whose clock is behind that of the login.
    for (const behind of [0, 20 * SECOND]) {
      clock.set(clock.now() - behind);
      assert.ok(asksForLogin(await authorizeIn(browser, { max_age: '0' })), `${behind}`);
      clock.set(clock.now() + behind);
    }
  });

  test('continues for the person that the client names, and refuses if that is another person', async () => {
    const other = await signedIn();
    const hint = (await redeem(server, codeOf(await authorizeIn(other.browser)))).json.id_token;
    const { browser, name } = await signedIn();
    assert.equal(errorOf(await silently(other.browser, { id_token_hint: hint })), null);
    assert.equal(errorOf(await silently(browser, { id_token_hint: hint })), 'login_required');
    const asked = await authorizeIn(browser, { id_token_hint: hint });
    assert.ok(asksForLogin(asked));
    const answer = await browser.submit(await follow(browser, asked), { username: name, password });
    assert.equal(errorOf(answer), 'login_required');
    assert.equal(errorOf(await authorizeIn(browser, { id_token_hint: `${hint}x` })), 'invalid_request');
  });

  test('continues for the person that the client names also when a login starts again', async (t) => {
    const other = await signedIn();
    const hint = (await redeem(server, codeOf(await authorizeIn(other.browser)))).json.id_token;
    const { recordPrimaryLogin } = server.store.authRequests;
    const recorded = t.mock.method(server.store.authRequests, 'recordPrimaryLogin', recordPrimaryLogin);
    const browser = cookieBrowser(server);
    const page = await follow(browser, await authorizeIn(browser, { id_token_hint: hint }));
    codeOf(await browser.submit(page, { username: other.name, password }));
    const stored = recorded.mock.calls[0]?.arguments[0].authRequest;
    assert.equal(stored?.meant?.identityId, other.id);
    assert.ok(!JSON.stringify(stored).includes(hint), 'a token is stored');

    const over = await browser.submit(page, { username: other.name, password });
    const link =
      /<a id="start-again"[^>]* href="([^"]+)"/.exec(over.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal(new URL(link, server.url).searchParams.get('id_token_hint'), hint);
    const { name } = await person();
    const again = cookieBrowser(server);
    const asked = await follow(again, await again.get(link));
    assert.equal(errorOf(await again.submit(asked, { username: name, password })), 'login_required');
  });

  test('asks for a login that proves more if acr_values require it', async () => {
    const { browser } = await signedIn();
    const { acr } = await idTokenOf(await authorizeIn(browser));
    const known: string[] = (await server.get('/.well-known/openid-configuration')).json.acr_values_supported;
    const more = known.find((value) => value !== acr) ?? '';
    assert.equal(errorOf(await silently(browser, { acr_values: known.join(' ') })), null);
    assert.equal(errorOf(await silently(browser, { acr_values: 'unknown' })), null);
    assert.equal(errorOf(await silently(browser, { acr_values: more })), 'interaction_required');
    assert.ok(asksForLogin(await authorizeIn(browser, { acr_values: more })));
  });

  test('asks for a login, or says so silently, when the session ends meanwhile', async (t) => {
    const [asking, silent] = [await signedIn(), await signedIn()];
    meanwhile(t, () => signOut(asking.id));
    assert.ok(asksForLogin(await authorizeIn(asking.browser)));
    meanwhile(t, () => signOut(silent.id));
    assert.equal(errorOf(await silently(silent.browser)), 'login_required');
  });

  test('asks in a browser that is not signed in, and says so silently', async () => {
    const browser = cookieBrowser(server);
    assert.ok(asksForLogin(await authorizeIn(browser)));
    assert.equal(errorOf(await silently(browser)), 'login_required');
    assert.equal(errorOf(await authorizeIn(browser, { prompt: 'none login' })), 'invalid_request');
  });
});

describe('another application', () => {
  test('shows who is signed in, continues on a click, and is known from then on', async () => {
    const { browser, id, name } = await signedIn();
    assert.equal(errorOf(await silently(browser, toWiki)), 'account_selection_required');
    const asked = await authorizeIn(browser, toWiki);
    assert.ok(asksWhom(asked));
    const page = await follow(browser, asked);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(name));
    assert.match(page.text, /<strong>Wiki<\/strong> \(app\.example\)/);
    assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/);
    const answer = await browser.submit(page);
    const tokens = await redeemAs(server, wiki, codeOf(answer));
    assert.equal(claimsOf(tokens.json.id_token).sub, id);
    assert.equal(errorOf(await silently(browser, toWiki)), null);
    assertRefusedPage(await browser.submit(page), 'the same form again');
  });

  test('is one with the id of a deleted one, and nothing that was begun before leads to it', async () => {
    const id = 'notes';
    const toNotes = { client_id: id, redirect_uri: appRedirectUri };
    const register = () => registerClient(root, { id, type: 'public', tokenEndpointAuthMethod: 'none' });
    const { browser } = await signedIn();
    await register();
    assert.equal(
      (await browser.submit(await follow(browser, await authorizeIn(browser, toNotes)))).status,
      302,
    );
    assert.equal(errorOf(await silently(browser, toNotes)), null);
    const form = { client_id: id, scope: 'openid' };
    const { device_code } = (await server.post('/oidc/device_authorization', { form })).json;
    clock.advance(SECOND);
    assert.equal((await root.call('DELETE', `oidc-clients/${id}`)).status, 200);
    await register();
    assert.equal(errorOf(await silently(browser, toNotes)), 'account_selection_required');
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const polled = await server.post('/oidc/token', { form: { grant_type, device_code, client_id: id } });
    assert.equal(polled.json.error, 'expired_token');
  });

  test('gets one code for two clicks at once, and none for a session that ends during the click', async (t) => {
    const { browser, id } = await signedIn();
    const page = await follow(browser, await authorizeIn(browser, toWiki));
    meanwhile(t, async () => assert.equal((await browser.submit(page)).status, 302));
    const second = await browser.submit(page);
    assertRefusedPage(second, 'the second click');
    assert.match(second.text, /This sign-in has expired/);

    const another = await follow(browser, await authorizeIn(browser, { prompt: 'select_account' }));
    meanwhile(t, () => signOut(id));
    assert.ok(asksForLogin(await browser.submit(another)));
  });

  test('lets another person sign in, whose session replaces the first', async () => {
    const { browser, name } = await signedIn();
    const before = browser.cookies.get(sessionCookieName);
    const other = await person();
    const page = await follow(browser, await authorizeIn(browser, { ...toWiki, prompt: 'select_account' }));
    assert.ok(page.text.includes(name));
    const href = /id="other-account" class="button second" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = await browser.get(href.replaceAll('&amp;', '&'));
    const answer = await browser.submit(form, { username: other.name, password });
    assert.equal(broughtBack(answer).has('code'), true);
    assert.notEqual(browser.cookies.get(sessionCookieName), before);
    browser.cookies.set(sessionCookieName, String(before));
    assert.equal(errorOf(await silently(browser)), 'login_required');
  });

  test('ends with a sign-in in another tab, whose page was shown before the person signed in', async () => {
    for (const isOther of [true, false]) {
      const [first, second] = [await person(), await person()];
      const browser = cookieBrowser(server);
      const pages = [
        await follow(browser, await authorizeIn(browser)),
        await follow(browser, await authorizeIn(browser)),
      ];
      await browser.submit(pages[0] as Answer, { username: first.name, password });
      const before = String(browser.cookies.get(sessionCookieName));
      const { name } = isOther ? second : first;
      await browser.submit(pages[1] as Answer, { username: name, password });
      const data = (
        await root.get(`browser-sessions?filter=${encodeURIComponent(`identityId="${first.id}"`)}`)
      ).json.data;
      assert.equal(data.length, isOther ? 0 : 1);
      browser.cookies.set(sessionCookieName, before);
      assert.equal(errorOf(await silently(browser)), 'login_required');
    }
  });

  test('is asked again with prompt=select_account and prompt=consent', async () => {
    const { browser } = await signedIn();
    for (const prompt of ['select_account', 'consent']) {
      assert.ok(asksWhom(await authorizeIn(browser, { prompt })), prompt);
    }
  });

  test('on the same device asks each time: any program may listen there', async () => {
    const { browser } = await signedIn();
    const native = await registerClient(root, {
      type: 'public',
      redirectUris: ['http://127.0.0.1:*/cb', 'com.example.app:/cb'],
      tokenEndpointAuthMethod: 'none',
    });
    for (const at of [
      { redirect_uri: redirectUri },
      { client_id: native.id, redirect_uri: 'http://127.0.0.1:4001/cb' },
      { client_id: native.id, redirect_uri: 'com.example.app:/cb' },
    ]) {
      for (let times = 0; times < 2; times += 1) {
        const asked = await authorizeIn(browser, at);
        assert.ok(asksWhom(asked), at.redirect_uri);
        assert.equal(errorOf(await browser.submit(await follow(browser, asked))), null);
        assert.equal(errorOf(await silently(browser, at)), 'account_selection_required');
      }
    }
  });

  test('that is not for this person learns so after the click', async () => {
    const { browser } = await signedIn();
    const staff = await registerClient(root, { allowedRoleAttributes: ['staff'] });
    const page = await follow(browser, await authorizeIn(browser, { ...toWiki, client_id: staff.id }));
    assert.equal(errorOf(await browser.submit(page)), 'access_denied');
  });
});

function assertRefusedPage(answer: Answer, what: string): void {
  assert.equal(answer.status, 400, what);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
}

describe('the proofs are judged at each use', () => {
  const ends: readonly (readonly [string, (who: { id: IdentityId; name: string }) => Promise<unknown>])[] = [
    [
      'disabling the identity, also when it is enabled again',
      async ({ id }) => {
        await root.call('POST', `identities/${id}/disable`, { durationMinutes: 0 });
        await root.call('POST', `identities/${id}/enable`);
      },
    ],
    ['ending all sessions', ({ id }) => root.call('DELETE', `identities/${id}/api-sessions`)],
    ['a revocation of the identity', ({ id }) => root.call('POST', 'revocations', { id, type: 'IDENTITY' })],
    [
      'a new password',
      async ({ id }) => {
        const { data } = (await root.get(`authenticators?filter=identityId="${id}"`)).json;
        await root.call('PATCH', `authenticators/${data[0].id}`, { password: 'eight louder lanterns' });
      },
    ],
    [
      'removing the authenticator',
      async ({ id }) => {
        const { data } = (await root.get(`authenticators?filter=identityId="${id}"`)).json;
        await root.call('DELETE', `authenticators/${data[0].id}`);
      },
    ],
    ['deleting the identity', ({ id }) => root.call('DELETE', `identities/${id}`)],
  ];
  for (const [what, end] of ends) {
    test(`${what} ends it`, async () => {
      const who = await signedIn();
      assert.equal(errorOf(await silently(who.browser)), null);
      await end(who);
      assert.equal(errorOf(await silently(who.browser)), 'login_required');
      assert.ok(asksForLogin(await authorizeIn(who.browser)));
    });
  }

  // A copied cookie is the same session.
  const own = '/edge/client/v1/current-identity';
  const endsByOwner: readonly (readonly [string, (owner: Caller) => Promise<Answer>])[] = [
    [
      'a new password of the person, set with a session that it opened,',
      async (owner) => {
        const { data } = (await owner.get(`${own}/authenticators`)).json;
        const change = { currentPassword: password, password: 'eight louder lanterns' };
        return owner.call('PATCH', `${own}/authenticators/${data[0].id}`, change);
      },
    ],
    [
      'ending all other sessions with a session that it opened',
      (owner) => owner.call('DELETE', `${own}/api-sessions`),
    ],
  ];
  for (const [what, end] of endsByOwner) {
    test(`${what} ends it`, async () => {
      const { browser } = await signedIn();
      const { access_token: token } = (await redeem(server, codeOf(await authorizeIn(browser)))).json;
      const owner = callerWith(server, token);
      assert.equal((await end(owner)).status, 200);
      assert.equal((await owner.get(`${own}`)).status, 200, 'the session of the call continues');
      assert.equal(errorOf(await silently(browser)), 'login_required');
    });
  }

  test('a policy that requires more, or no longer allows passwords, requires a login', async () => {
    const who = await signedIn();
    const policy = await totpPolicy(server);
    await server.store.identities.update(who.id, { authPolicyId: policy }, clock.now());
    const refused = await silently(who.browser);
    assert.equal(errorOf(refused), 'login_required');
    const [ended] = auditedBy(server, refused);
    assert.deepEqual([ended?.event, ended?.reason], ['browser-session.ended', 'no-longer-enough']);
    await server.store.identities.update(who.id, { authPolicyId: defaultAuthPolicyId }, clock.now());
    assert.equal(errorOf(await silently(who.browser)), 'login_required', 'it has ended');

    const other = await signedIn();
    const base = await server.store.authPolicies.find(defaultAuthPolicyId);
    assert.ok(base !== null);
    const id = asId<typeof defaultAuthPolicyId>(server.random.id());
    const primary = { ...base.primary, updb: { ...base.primary.updb, allowed: false } };
    await server.store.authPolicies.create(
      { ...base, name: typedName(`no passwords ${id}`), primary, id },
      clock.now(),
    );
    await server.store.identities.update(other.id, { authPolicyId: id }, clock.now());
    assert.equal(errorOf(await silently(other.browser)), 'login_required');
  });

  test('an external id that was taken away ends it where a token with that id has opened it', async () => {
    await using idp = await startTestIdp();
    await createSigner(root, idp, 'provider');
    for (const externalId of [null, 'the right person']) {
      people += 1;
      const name = `person${people}`;
      const id = await createIdentity(server, name);
      const browser = cookieBrowser(server);
      const page = await follow(browser, await authorizeIn(browser));
      const form = hiddenFields(page);
      const token = await tokenOf(server, idp, `${name}@idp`);
      const answer = await browser.post('/oidc/login/ext-jwt', form, {
        authorization: `Bearer ${token}`,
        'sec-fetch-site': 'same-origin',
      });
      assert.deepEqual((await idTokenOf(answer)).amr, ['ext-jwt']);
      const change = { externalId: `${name}@idp`, name: `${name} renamed` };
      assert.equal((await root.call('PATCH', `identities/${id}`, change)).status, 200);
      assert.equal(errorOf(await silently(browser)), null, 'the same external id');
      assert.equal((await root.call('PATCH', `identities/${id}`, { externalId })).status, 200);
      assert.equal(errorOf(await silently(browser)), 'login_required');
    }
  });

  test('with a second factor the session has both, and says so', async () => {
    const policy = await totpPolicy(server);
    people += 1;
    const name = `person${people}`;
    await createTotpUser(server, policy, name);
    const { app } = await enroll(server, clock, name);
    clock.advance(MINUTE);
    const browser = cookieBrowser(server);
    const codePage = await signIn(browser, name);
    assert.equal(browser.cookies.has(sessionCookieName), false, 'nothing is complete yet');
    const done = await browser.submit(codePage, { code: app.code() });
    assert.deepEqual((await idTokenOf(done)).amr, ['password', 'totp']);
    assert.deepEqual((await idTokenOf(await silently(browser))).amr, ['password', 'totp']);
  });

  test('a copy of the cookie is worth nothing without the certificate that signed in, or when that has expired', async () => {
    const deviceFor = async (validity: number) => {
      people += 1;
      const id = await createIdentity(server, `device${people}`, { externalId: null });
      const until = clock.now() + validity - systemClock.now();
      const connection = withCertificate(server, await enrolled(server, id, { until }));
      return { id, connection, browser: cookieBrowser({ ...connection, url: server.url }) };
    };
    const [mine, others] = [await deviceFor(10 * MINUTE), await deviceFor(60 * MINUTE)];
    const { browser } = mine;
    const answer = await browser.submit(await follow(browser, await authorizeIn(browser)));
    const tokens = await redeem(mine.connection, codeOf(answer));
    assert.deepEqual(claimsOf(tokens.json.id_token).amr, ['cert']);
    for (const copy of [cookieBrowser(server), others.browser]) {
      copy.cookies.set(sessionCookieName, String(browser.cookies.get(sessionCookieName)));
      assert.equal(errorOf(await silently(copy)), 'login_required');
    }
    assert.equal(errorOf(await silently(browser)), null);
    clock.advance(11 * MINUTE);
    assert.equal(errorOf(await silently(browser)), 'login_required');
    await server.controller.services.attempts.flush();
    const [attempt] = (await root.get('login-attempts?limit=1')).json.data;
    assert.deepEqual([attempt.step, attempt.mechanism, attempt.outcome], ['cert', 'oidc', 'refused']);

    assert.ok(
      broughtBack(
        await others.browser.submit(await follow(others.browser, await authorizeIn(others.browser))),
      ).has('code'),
    );
    await server.store.identities.update(others.id, { authPolicyId: await totpPolicy(server) }, clock.now());
    assert.equal(errorOf(await silently(others.browser)), 'login_required', 'the certificate alone');
    for (const { connection } of [mine, others]) connection.closeConnections();
  });

  test('it ends after the idle time, and at its absolute end however often it is used', async () => {
    const { browser } = await signedIn();
    clock.advance(29 * MINUTE);
    assert.equal(errorOf(await silently(browser)), null);
    clock.advance(29 * MINUTE);
    assert.equal(errorOf(await silently(browser)), null);
    clock.advance(30 * MINUTE);
    assert.equal(errorOf(await silently(browser)), 'login_required');

    const long = await signedIn();
    for (let used = 0; used < 12 * 60; used += 20) {
      assert.equal(errorOf(await silently(long.browser)), null, String(used));
      clock.advance(20 * MINUTE);
    }
    assert.equal(errorOf(await silently(long.browser)), 'login_required');
  });
});

describe('logging out', () => {
  const logout = '/oidc/end_session';
  const back = 'http://localhost:8400/auth/logout';

  test('by an application with a hint ends it, with the cookie or without', async () => {
    for (const withCookie of [true, false]) {
      const { browser } = await signedIn();
      const tokens = (await redeem(server, codeOf(await authorizeIn(browser)))).json;
      const query = `?id_token_hint=${tokens.id_token}&post_logout_redirect_uri=${encodeURIComponent(back)}`;
      const answer = withCookie
        ? await browser.get(`${logout}${query}`)
        : await server.get(`${logout}${query}`);
      assert.equal(answer.headers.location, back);
      assert.equal(browser.cookies.has(sessionCookieName), !withCookie);
      assert.equal(errorOf(await silently(browser)), 'login_required');
    }
  });

  test('with the hint of another person leaves it open', async () => {
    const other = await signedIn();
    const { id_token } = (await redeem(server, codeOf(await authorizeIn(other.browser)))).json;
    const { browser } = await signedIn();
    assert.equal((await browser.get(`${logout}?id_token_hint=${id_token}`)).status, 200);
    assert.equal(errorOf(await silently(browser)), null);
  });

  test('without a hint asks first, and ends it when the person agrees on our own page', async () => {
    const { browser } = await signedIn();
    const page = await browser.get(logout);
    assert.match(page.text, /id="sign-out"/);
    assert.equal(errorOf(await silently(browser)), null);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    await browser.post(logout, hiddenFields(page), foreign);
    assert.equal(errorOf(await silently(browser)), null);
    const answer = await browser.submit(page);
    assert.match(answer.text, /You are signed out/);
    assert.equal(browser.cookies.has(sessionCookieName), false);
    assert.match((await browser.get(logout)).text, /You are not signed in here/);
  });

  test('leaves no code behind with which an application could log in', async () => {
    const { browser } = await signedIn();
    const codes = [codeOf(await authorizeIn(browser)), codeOf(await authorizeIn(browser))] as const;
    const { id_token } = (await redeem(server, codes[0])).json;
    await server.get(`${logout}?id_token_hint=${id_token}`);
    assert.equal((await redeem(server, codes[1])).json.error, 'invalid_grant');

    const who = await person();
    const other = cookieBrowser(server);
    const code = codeOf(await signIn(other, who.name));
    assert.match((await other.submit(await other.get(logout))).text, /You are signed out/);
    assert.equal((await redeem(server, code)).json.error, 'invalid_grant');
  });

  test('by an application that revokes its tokens ends it too', async () => {
    const { browser } = await signedIn();
    const { refresh_token } = (await redeem(server, codeOf(await authorizeIn(browser)))).json;
    const form = { token: refresh_token, client_id: 'overlay' };
    assert.equal((await server.post('/oidc/revoke', { form })).status, 200);
    assert.equal(errorOf(await silently(browser)), 'login_required');
  });

  test('of the API session by its owner ends it too', async () => {
    const { browser } = await signedIn();
    const { access_token } = (await redeem(server, codeOf(await authorizeIn(browser)))).json;
    const headers = { authorization: `Bearer ${access_token}` };
    assert.equal(
      (await server.request('DELETE', '/edge/client/v1/current-api-session', { headers })).status,
      200,
    );
    assert.equal(errorOf(await silently(browser)), 'login_required');
  });
});

describe('the cookie', () => {
  test('is for this host only, hidden from scripts, and not sent with forms of other sites', async () => {
    const who = await person();
    const browser = cookieBrowser(server);
    const answer = await signIn(browser, who.name);
    const line = answer.lines('set-cookie').find((text) => text.startsWith(sessionCookieName)) ?? '';
    assert.match(line, /^__Host-overlay-auth-session=[\w-]{91}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });

  test('changes with each login, even if the browser had one', async () => {
    const attacker = await signedIn();
    const planted = String(attacker.browser.cookies.get(sessionCookieName));
    const victim = await person();
    const browser = cookieBrowser(server);
    browser.cookies.set(sessionCookieName, planted);
    const page = await follow(browser, await authorizeIn(browser, { prompt: 'login' }));
    await browser.submit(page, { username: victim.name, password });
    assert.notEqual(browser.cookies.get(sessionCookieName), planted);
    assert.equal(errorOf(await silently(attacker.browser)), 'login_required');
  });

  test('opens no API, and no login of programs', async () => {
    const { browser } = await signedIn();
    const cookie = `${sessionCookieName}=${browser.cookies.get(sessionCookieName)}`;
    for (const path of [
      '/edge/client/v1/current-identity',
      '/edge/management/v1/identities',
      '/oidc/userinfo',
    ]) {
      assert.equal((await server.get(path, { headers: { cookie } })).status, 401, path);
    }
    const headers = { cookie, accept: 'application/json' };
    const begun = await server.get(
      `/oidc/authorization?${new URLSearchParams({
        response_type: 'code',
        client_id: 'overlay',
        redirect_uri: 'http://localhost:8400/auth/callback',
        scope: 'openid',
        prompt: 'none',
      })}`,
      { headers },
    );
    assert.equal(errorOf(begun), 'login_required');
  });

  test("alone continues no login: not in another browser, not with another person's name on the page", async () => {
    const { browser } = await signedIn();
    const page = await follow(browser, await authorizeIn(browser, toWiki));
    const thief = cookieBrowser(server);
    thief.cookies.set(sessionCookieName, String(browser.cookies.get(sessionCookieName)));
    const stolen = await thief.submit(page);
    assert.equal(stolen.status, 400);
    const other = await signedIn();
    browser.cookies.set(sessionCookieName, String(other.browser.cookies.get(sessionCookieName)));
    const shown = await browser.submit(page);
    assert.equal(shown.status, 200, 'the page again');
    assert.ok(shown.text.includes(other.name));
  });

  test('counts when a person navigates to the address, but not for a script, frame or form of another page', async () => {
    const { browser } = await signedIn();
    const query = authorizationQuery({ prompt: 'none', redirect_uri: webRedirectUri });
    const mode = (value: string, destination = 'empty') =>
      browser.get(`/oidc/authorization?${query}`, {
        'sec-fetch-mode': value,
        'sec-fetch-dest': destination,
        'sec-fetch-site': 'same-site',
      });
    assert.equal(errorOf(await mode('navigate', 'document')), null);
    for (const value of ['cors', 'no-cors', 'same-origin']) {
      assert.equal(errorOf(await mode(value)), 'login_required', value);
    }
    for (const place of ['iframe', 'frame', 'object', 'embed']) {
      assert.equal(errorOf(await mode('navigate', place)), 'login_required', place);
    }
    const posted = await browser.post('/oidc/authorization', Object.fromEntries(new URLSearchParams(query)), {
      origin: 'https://localhost:9',
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'navigate',
    });
    assert.deepEqual([posted.status, posted.lines('set-cookie')], [303, []], 'as a link');
  });

  test('that is made up or changed identifies no person', async () => {
    const { browser } = await signedIn();
    const value = String(browser.cookies.get(sessionCookieName));
    for (const wrong of [
      `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`,
      'A'.repeat(91),
      'x',
      '',
    ]) {
      browser.cookies.set(sessionCookieName, wrong);
      assert.equal(errorOf(await silently(browser)), 'login_required');
    }
  });

  test('is not issued to programs', async () => {
    const { name } = await person();
    const begun = await server.get(
      `/oidc/authorization?response_type=code&client_id=overlay&scope=openid&redirect_uri=${encodeURIComponent('http://localhost:8400/auth/callback')}&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256`,
    );
    const json = { authRequestId: authRequestIdOf(begun), username: name, password };
    const answer = await server.post('/oidc/login/username', { json });
    assert.equal(answer.status, 302);
    assert.deepEqual(answer.lines('set-cookie'), []);
  });
});

test('a session that was opened without asking again shows the login behind it', async () => {
  const { browser } = await signedIn();
  const { access_token } = (await redeem(server, codeOf(await silently(browser)))).json;
  const { program, operatingSystem, loginIpAddress } = (await callWith(server, access_token)).json.data;
  assert.deepEqual([program, operatingSystem, loginIpAddress], ['Firefox', 'Linux', '127.0.0.1']);
});

describe('administrators', () => {
  test('see who is signed in where, and end it', async () => {
    const admin = await loggedIn(server, 'root');
    const { browser, id, name } = await signedIn();
    const { data } = (await admin.get(`browser-sessions?filter=identityId="${id}"`)).json;
    assert.equal(data.length, 1);
    const [session] = data;
    assert.equal(session.identity.name, name);
    assert.deepEqual(session.amr, ['password']);
    assert.deepEqual([session.program, session.operatingSystem], ['Firefox', 'Linux']);
    assert.deepEqual(session.applications, [`overlay ${webRedirectUri}`]);
    assert.equal(JSON.stringify(session).includes('token'), false);
    assert.deepEqual((await admin.get(`browser-sessions/${session.id}`)).json.data, session);
    assert.equal((await admin.call('DELETE', `browser-sessions/${session.id}`)).status, 200);
    assert.equal(errorOf(await silently(browser)), 'login_required');
    assertRefused(await admin.call('DELETE', `browser-sessions/${session.id}`), 404, 'NOT_FOUND');
    assertRefused(await admin.get(`browser-sessions/${session.id}`), 404, 'NOT_FOUND');
  });

  test('let the help desk end it, but not for those with more rights', async () => {
    const admin = await loggedIn(server, 'root');
    const { id: helperId, name } = await person();
    await admin.call('PATCH', `identities/${helperId}`, { permissions: ['helpdesk'] });
    const helper = await loggedIn(server, name);
    const { browser, id } = await signedIn();
    const [session] = (await helper.get(`browser-sessions?filter=identityId="${id}"`)).json.data;
    const end = () => helper.call('DELETE', `browser-sessions/${session.id}`);
    for (const more of [{ isAdmin: true }, { isAdmin: false, permissions: ['read'] }]) {
      await admin.call('PATCH', `identities/${id}`, more);
      assertRefused(await end(), 403, 'FORBIDDEN');
      assert.equal(errorOf(await silently(browser)), null);
    }
    await admin.call('PATCH', `identities/${id}`, { permissions: [] });
    assert.equal((await end()).status, 200);
    assert.equal(errorOf(await silently(browser)), 'login_required');
  });
});

test('a client of the compatibility profile gets its code through both redirects, even if only the session is left', async () => {
  const sdk = 'native';
  await using alias = await startTestServer({
    clock,
    configure: (yaml) => withBrowserSession(yaml.replace('clientIds: []', `clientIds: [${sdk}]`)),
  });
  await alias.createUser({ name: 'alice', password });
  const browser = cookieBrowser(alias);
  const first = await follow(browser, await signIn(browser, 'alice', { client_id: sdk }));
  assert.equal(broughtBack(first).has('code'), true);
  // The cookie may be gone before the session is.
  for (const name of browser.cookies.keys()) if (name.includes('-login-')) browser.cookies.delete(name);
  const again = await follow(browser, await authorizeIn(browser, { client_id: sdk }));
  assert.equal(broughtBack(again).has('code'), true);
});

test('without the setting browsers do not stay signed in, and prompt=none is refused', async () => {
  await using plain = await startTestServer({ clock });
  await plain.createUser({ name: 'alice', password });
  const browser = cookieBrowser(plain);
  const at = { redirect_uri: redirectUri };
  assert.equal(broughtBack(await signIn(browser, 'alice', at)).has('code'), true);
  assert.equal(browser.cookies.has(sessionCookieName), false);
  assert.ok(asksForLogin(await authorizeIn(browser, at)));
  assert.equal(errorOf(await silently(browser, at)), 'login_required');
  const asked = { ...at, id_token_hint: 'x', prompt: 'select_account' };
  assert.ok(asksForLogin(await authorizeIn(browser, asked)));
});
