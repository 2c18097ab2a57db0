// Signing in at another provider, in a real browser, at a provider that is not ours.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Clock, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, visitor } from '../support/browser.ts';
import { hiddenFields } from '../support/cookie-browser.ts';
import {
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
} from '../support/external-jwt.ts';
import { beginLogin } from '../support/flow.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { appRedirectUri, registerClient } from '../support/oidc-clients.ts';
import { createSignerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { authQueries, startEnrollment } from '../support/totp.ts';
import {
  assertLoggedIn,
  beginAt,
  continueToApplication,
  givePassword,
  signInAtProvider,
  submit,
} from './support.ts';

let later = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + later };

function callbackOf(id: string): string {
  return `${server.url}/oidc/login/ext-jwt/callback/${id}`;
}

function comeBack(id: string, query: Record<string, string>, headers: Record<string, string>) {
  return server.get(`/oidc/login/ext-jwt/callback/${id}?${new URLSearchParams(query)}`, { headers });
}

/** What the form of the question sends. */
function confirmReturn(id: string, form: Record<string, string>, headers: Record<string, string>) {
  return server.post(`/oidc/login/ext-jwt/callback/${id}`, { form, headers });
}

/** Leaves for the provider as a person does who clicks the button. */
async function begunVisit() {
  const page = await visitor();
  await beginAt(server, application, page.page);
  const href = (await page.page.getByText('Continue with Example ID').getAttribute('href')) ?? '';
  const [cookie] = await page.context.cookies(server.url);
  const headers = {
    accept: 'text/html',
    cookie: `${cookie?.name}=${cookie?.value}`,
    'sec-fetch-site': 'same-origin',
  };
  const leaving = await server.get(href, { headers });
  await page.close();
  return { headers, parameters: new URL(String(leaving.headers.location)).searchParams };
}

const application = await startApplication();
const server = await startTestServer({ clock });
const admin = await rootOf(server);
const provider = await startOpenIdProvider();
const signerId = await createSignerOf(provider, server, admin);
await createIdentity(server, 'ana', { externalId: 'ana' });
const both = await createPolicy(server, 'both', { secondary: { requireExtJwt: signerId } });
const bob = await createUserWithPolicy(server, 'bob', both);
await server.store.identities.update(bob, { externalId: 'bob' }, server.clock.now());
after(async () => {
  await server.close();
  await provider.close();
  await application.close();
});

for (const scripts of [true, false]) {
  describe(scripts ? 'with scripts' : 'without scripts', () => {
    test('the button leads to the provider and back to the application', async () => {
      await using ana = await visitor({ scripts });
      await beginAt(server, application, ana.page);
      await ana.page.click('text=Continue with Example ID');
      await signInAtProvider(provider, ana.page, 'ana');
      await continueToApplication(ana.page);
      await assertLoggedIn(server, application, ana.page);
    });

    test('it is the second proof if the policy requires one', async () => {
      await using bob = await visitor({ scripts });
      await beginAt(server, application, bob.page);
      await givePassword(bob.page, 'bob', password);
      await bob.page.click('#second-provider');
      await signInAtProvider(provider, bob.page, 'bob');
      await continueToApplication(bob.page);
      await assertLoggedIn(server, application, bob.page);
    });
  });
}

test('an account that is unknown here leads back to the page, which offers the other ways', async () => {
  await using stranger = await visitor();
  const { page } = stranger;
  await beginAt(server, application, page, { method: 'ext-jwt' });
  await page.click('text=Continue with Example ID');
  await signInAtProvider(provider, page, 'nobody');
  assert.equal(await submit(page, '#continue'), 401);
  assert.match(await page.title(), /^Error: /);
  assert.equal(await page.locator(':focus').getAttribute('id'), 'failure');
  await page.click('#use-password');
  await givePassword(page, 'root', password);
  await assertLoggedIn(server, application, page);
});

test('the account of the second proof does not begin the sign-in, and the page offers the other ways', async () => {
  await using bob = await visitor();
  const { page } = bob;
  await beginAt(server, application, page);
  await page.click('text=Continue with Example ID');
  await signInAtProvider(provider, page, 'bob');
  assert.equal(await submit(page, '#continue'), 401);
  assert.match(await page.title(), /^Error: /);
  assert.equal(await page.locator('#second-provider').count(), 0);
  await page.click('#use-password');
  await givePassword(page, 'bob', password);
  await page.click('#second-provider');
  await page.waitForSelector('#continue');
  await continueToApplication(page);
  await assertLoggedIn(server, application, page);
});

test('another account does not count as the second proof', async () => {
  await using bob = await visitor();
  await beginAt(server, application, bob.page);
  await givePassword(bob.page, 'bob', password);
  await bob.page.click('#second-provider');
  await signInAtProvider(provider, bob.page, 'ana');
  await continueToApplication(bob.page);
  assert.match(await bob.page.title(), /^Error: /);
  assert.equal(await bob.page.locator('#second-provider').count(), 1);
});

test('the way back belongs to the browser that went, once', async () => {
  await using ana = await visitor({ viewport: narrow });
  await beginAt(server, application, ana.page);
  const back = ana.page.waitForRequest((request) => request.url().includes('/ext-jwt/callback/'));
  await ana.page.click('text=Continue with Example ID');
  await signInAtProvider(provider, ana.page, 'ana');
  assert.deepEqual(await accessibilityProblems(ana.page), []);
  await screenshot(ana.page, 'provider-return');
  await continueToApplication(ana.page);
  const url = (await back).url();
  await assertLoggedIn(server, application, ana.page);
  await using other = await visitor();
  assert.equal((await other.page.goto(url))?.status(), 400);
  assert.notEqual((await ana.page.goto(url))?.status(), 200);
  assert.ok(!ana.page.url().startsWith(application.redirectUri));
});

test('a visit that a program has begun ends in no browser, even if a victim is sent to the provider', async () => {
  const carla = await createIdentity(server, 'carla', { externalId: 'carla' });
  const mustEnroll = await createPolicy(server, 'must enroll', { secondary: { requireTotp: true } });
  await server.store.identities.update(carla, { authPolicyId: mustEnroll }, server.clock.now());
  for (const accept of ['*/*', '']) {
    const id = await beginLogin(server);
    const leaving = await server.get(
      `/oidc/login/ext-jwt/visit?step=primary&signer=${signerId}&authRequestID=${id}`,
      // A program can say of itself what it likes.
      { headers: { 'sec-fetch-site': 'same-origin', ...(accept === '' ? {} : { accept }) } },
    );
    const victim = await visitor();
    const answered = victim.page.waitForResponse((answer) => answer.url().includes('/ext-jwt/callback/'));
    await victim.page.goto(String(leaving.headers.location));
    await signInAtProvider(provider, victim.page, 'carla');
    assert.equal((await answered).status(), 400);
    await victim.close();
    assertRefused(await authQueries(server, id), 400, 'INVALID_AUTH_REQUEST');
    assertRefused(await startEnrollment(server, id), 400, 'INVALID_AUTH_REQUEST');
  }
});

test('the way there begins on our own page: a victim who is led to its address gets the button', async () => {
  await using ana = await visitor();
  await beginAt(server, application, ana.page);
  const href = (await ana.page.getByText('Continue with Example ID').getAttribute('href')) ?? '';
  const cookies = await ana.context.cookies(server.url);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const accept = 'text/html';
  const window = { accept, cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (const [status, headers] of [
    [200, { accept, cookie }],
    [200, { ...window, 'sec-fetch-site': 'none' }],
    [200, { ...window, 'sec-fetch-site': 'same-site' }],
    [200, { ...window, 'sec-fetch-site': 'cross-site' }],
    [302, { ...window, 'sec-fetch-site': 'same-origin' }],
    // No cookie counts.
    [400, { ...window, 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' }],
    [400, { cookie, accept: '*/*', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ] as const) {
    const answer = await server.get(href, { headers });
    assert.equal(answer.status, status, JSON.stringify(headers));
    const leaves = String(answer.headers.location ?? '').startsWith(provider.issuer);
    assert.equal(leaves, status === 302);
  }
  await ana.page.goto(`${server.url}${href}`);
  await ana.page.click('text=Continue with Example ID');
  await signInAtProvider(provider, ana.page, 'ana');
  await continueToApplication(ana.page);
  await assertLoggedIn(server, application, ana.page);
});

describe('an answer that is not what was asked for', () => {
  test('asks the provider with PKCE, a nonce and our callback', async () => {
    const { parameters } = await begunVisit();
    assert.equal(parameters.get('code_challenge_method'), 'S256');
    assert.match(String(parameters.get('nonce')), /^[\w-]{43}$/);
    assert.equal(parameters.get('redirect_uri'), callbackOf(signerId));
    assert.equal(parameters.get('scope'), 'openid');
  });

  test('is refused, and the decision record says why', async () => {
    const iss = provider.issuer;
    const answers: [Record<string, string>, number, string][] = [
      [{ iss, error: 'access_denied' }, 401, 'provider-refused'],
      [{ iss }, 401, 'provider-refused'],
      [{ code: 'x', iss: 'https://other.example' }, 401, 'provider-refused'],
      [{ iss, code: 'made-up' }, 401, 'provider-refused'],
      [{ state: 'of-somebody-else', code: 'x' }, 400, 'sign-in-expired'],
      [{ state: 'x', code: 'x' }, 400, 'sign-in-expired'],
    ];
    for (const [query, status, reason] of answers) {
      // A visit works once.
      const { headers, parameters } = await begunVisit();
      const state = parameters.get('state') ?? '';
      if (query.state === 'of-somebody-else') query.state = `${state.slice(0, -2)}xx`;
      const answer = await confirmReturn(signerId, { state, ...query }, headers);
      assert.equal(answer.status, status, JSON.stringify(query));
      assert.equal(await reasonOf(server, answer), reason, JSON.stringify(query));
    }
  });

  test('starts again where it comes too late, in its own browser', async () => {
    const { headers, parameters } = await begunVisit();
    const query = { state: parameters.get('state') ?? '', iss: provider.issuer, code: 'x' };
    const { headers: elsewhere } = await begunVisit();
    later = 10 * MINUTE;
    const [late, strange] = [
      await comeBack(signerId, query, headers),
      await comeBack(signerId, query, elsewhere),
    ];
    later = 0;
    assert.deepEqual([late.status, strange.status], [400, 400]);
    assert.match(late.text, /id="start-again" class="button" href="\/oidc\/authorization\?/);
    assert.doesNotMatch(strange.text, /start-again/);
  });

  test('without iss is refused if the provider promises it (RFC 9207)', async () => {
    for (const query of [{ code: 'made-up' }, { error: 'access_denied' }]) {
      const { headers, parameters } = await begunVisit();
      const state = parameters.get('state') ?? '';
      const answer = await confirmReturn(signerId, { state, ...query }, headers);
      assert.equal(answer.status, 401);
      assert.equal(await reasonOf(server, answer), 'provider-refused');
    }
  });

  test('that comes to the callback of another signer reaches no token endpoint', async () => {
    // A provider that forwards the browser to an honest one: the code of that one comes back with its own state.
    await using other = await startTestIdp();
    const id = await createSigner(admin, other, 'Honest', { externalAuthUrl: other.issuer, clientId: 'x' });
    const { headers, parameters } = await begunVisit();
    const state = parameters.get('state') ?? '';
    for (const stranger of [id, 'unknown', `${signerId}x`]) {
      for (const arrive of [comeBack, confirmReturn]) {
        const query = { state, iss: provider.issuer, code: 'of-the-honest-one' };
        const answer = await arrive(stranger, query, headers);
        assert.equal(answer.status, 400, stranger);
        assert.equal(await reasonOf(server, answer), 'sign-in-expired');
      }
    }
    const query = new URLSearchParams({ state, code: 'x' });
    assert.equal((await server.get(`/oidc/login/ext-jwt/callback?${query}`, { headers })).status, 404);
    assert.equal(other.requests.size, 0);
    await admin.call('DELETE', `external-jwt-signers/${id}`);
  });
});

describe('a code for a program on the own device', () => {
  test('is redeemed only after a click on our own page, and a refusal of the provider needs none', async () => {
    const { headers, parameters } = await begunVisit();
    const { 'sec-fetch-site': _own, ...plain } = headers;
    const query = { state: parameters.get('state') ?? '', iss: provider.issuer, code: 'made-up' };
    const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const asked = await comeBack(signerId, query, { ...plain, ...led });
    assert.equal(asked.status, 200);
    assert.deepEqual(hiddenFields(asked), query);
    assert.match(asked.text, /to continue to an application on this device/);
    assert.ok(asked.text.includes(application.redirectUri));
    for (const [name, foreign] of [
      ['a program', plain],
      ['a page beside us', { ...plain, 'sec-fetch-site': 'same-site' }],
      ['an allowed page', { ...plain, origin: new URL(application.redirectUri).origin }],
      ['no cookie', { accept: 'text/html', 'sec-fetch-site': 'same-origin' }],
    ] as const) {
      assert.ok([400, 403].includes((await confirmReturn(signerId, query, foreign)).status), name);
    }
    // Neither the question nor a refused answer has used it up.
    assert.equal((await confirmReturn(signerId, query, headers)).status, 401, 'the provider was asked');
    assert.equal((await confirmReturn(signerId, query, headers)).status, 400);
    const refused = await begunVisit();
    const { parameters: again } = refused;
    const error = { state: again.get('state') ?? '', iss: provider.issuer, error: 'access_denied' };
    assert.equal((await comeBack(signerId, error, refused.headers)).status, 401);
  });

  test('needs no click for our own pages', async () => {
    for (const own of ['account', 'console']) {
      await using ana = await visitor();
      await ana.page.goto(`${server.url}/${own}`);
      if (own === 'account') await ana.page.click('#sign-in');
      await ana.page.click('text=Continue with Example ID');
      await signInAtProvider(provider, ana.page, 'ana');
      await ana.page.waitForURL((url) => url.pathname === `/${own}` || url.pathname === `/${own}/`);
    }
  });
});

test('an answer reaches no token endpoint when the address of the application was taken away meanwhile', async () => {
  const lost = 'https://lost.example/cb';
  const app = await registerClient(admin, { redirectUris: [appRedirectUri, lost] });
  const id = await beginLogin(server, { client_id: app.id, redirect_uri: lost });
  const visit = `/oidc/login/ext-jwt/visit?step=primary&signer=${signerId}&authRequestID=${id}`;
  const ownPage = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const leaving = await server.get(visit, { headers: ownPage });
  const cookie = leaving.lines('set-cookie')[0]?.split(';')[0] ?? '';
  const state = new URL(String(leaving.headers.location)).searchParams.get('state') ?? '';
  const answer = { state, iss: provider.issuer, code: 'made-up' };
  const headers = { accept: 'text/html', cookie };
  assert.equal((await comeBack(signerId, answer, headers)).status, 401, 'the provider was asked');
  await admin.call('PATCH', `oidc-clients/${app.id}`, { redirectUris: [appRedirectUri] });
  const refused = await comeBack(signerId, answer, headers);
  assert.deepEqual([refused.status, refused.headers.location], [400, undefined]);
});

test('a provider that cannot be reached, or is a different one, is reported', async () => {
  for (const [name, externalAuthUrl, issuer] of [
    ['Gone', 'https://localhost:1', 'https://localhost:1'],
    ['Mixed up', provider.issuer, 'https://mixed-up.example'],
  ] as const) {
    const more = { externalAuthUrl, clientId: 'x' };
    const id = await createSigner(admin, { issuer, jwksEndpoint: provider.jwksEndpoint }, name, more);
    const { page, close } = await visitor();
    await beginAt(server, application, page);
    await page.click(`text=Continue with ${name}`);
    await page.waitForSelector('#failure');
    assert.match(await page.locator('#failure').innerText(), new RegExp(`${name} cannot be reached`));
    await admin.call('DELETE', `external-jwt-signers/${id}`);
    await close();
  }
});

test('a signer without an address or a client id, or a disabled one, has no button', async () => {
  const { issuer, jwksEndpoint } = provider;
  const id = await createSigner(admin, { issuer: `${issuer}/other`, jwksEndpoint }, 'No client', {
    externalAuthUrl: issuer,
  });
  const { page, close } = await visitor();
  await beginAt(server, application, page, { method: 'ext-jwt' });
  assert.equal(await page.getByText('Continue with Example ID').count(), 1);
  assert.equal(await page.getByText('No client').count(), 0);
  const path = `/oidc/login/ext-jwt/visit?step=primary&signer=${id}`;
  const request = new URL(page.url()).searchParams.get('authRequestID');
  const answered = page.waitForResponse((answer) => answer.url().includes(path));
  await page.evaluate(`location.assign('${path}&authRequestID=${request}')`);
  assert.equal((await answered).status(), 404);
  await close();
});

describe('the test of a signer', () => {
  const accept = 'text/html';
  const begin = async (caller: Caller, id = signerId) =>
    (await caller.call('POST', `external-jwt-signers/${id}/test`)).json.data as { id: string; href: string };
  const finish = (caller: Caller, answer: string, id = signerId) =>
    caller.call('POST', `external-jwt-signers/${id}/test-result`, { answer });
  /** Opens the link of a test in a browser. */
  async function leave(href: string) {
    const leaving = await server.get(href, { headers: { accept, 'sec-fetch-site': 'same-origin' } });
    assert.equal(leaving.status, 302);
    const { searchParams } = new URL(String(leaving.headers.location));
    const cookie = String(leaving.headers['set-cookie']).split(';')[0] ?? '';
    return {
      headers: { accept, cookie, 'sec-fetch-site': 'same-origin' },
      state: searchParams.get('state') ?? '',
      searchParams,
    };
  }
  /** What the browser comes back to the console with. */
  function handedOver(answer: { readonly status: number; readonly headers: object }) {
    assert.equal(answer.status, 302);
    const { pathname, search, hash } = new URL(String(Object(answer.headers).location), server.url);
    assert.equal(pathname, `/console/signers/${signerId}/tested`);
    assert.equal(search, '', 'nothing of it gets into a log');
    const came = new URLSearchParams(hash.slice(1));
    return { test: came.get('test'), answer: came.get('answer') ?? '' };
  }
  async function whoMay(...permissions: string[]) {
    const name = `may-${permissions.join('-')}`;
    const id = await server.createUser({ name, password });
    await admin.call('PATCH', `identities/${id}`, { permissions });
    return loggedIn(server, name);
  }
  async function cameBack(caller: Caller, query: Record<string, string>) {
    const { href } = await begin(caller);
    const { headers, state } = await leave(href);
    return handedOver(await comeBack(signerId, { state, iss: provider.issuer, ...query }, headers));
  }

  test('visits like a login, and passes on the answer without redeeming it', async () => {
    const { id, href } = await begin(admin);
    const { headers, state, searchParams } = await leave(href);
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    assert.match(String(searchParams.get('nonce')), /^[\w-]{43}$/);
    assert.equal(searchParams.get('redirect_uri'), callbackOf(signerId));
    const query = { state, iss: provider.issuer, code: 'of-somebody' };
    const { test, answer } = handedOver(await comeBack(signerId, query, headers));
    assert.equal(test, id);
    assert.ok(!answer.includes('of-somebody'));
    const { isAccepted, reason, token, checks } = (await finish(admin, answer)).json.data;
    assert.deepEqual(
      { isAccepted, reason, token },
      { isAccepted: false, reason: 'provider-refused', token: null },
    );
    assert.deepEqual(
      checks.map(({ check }: { check: string }) => check),
      ['provider'],
    );
  });

  test('reports what a lying provider answered', async () => {
    for (const [query, saw] of [
      [{ error: 'access_denied<b>' }, 'the provider answered access_denied?b?'],
      [{ code: 'x', iss: 'https://other.example' }, 'the answer came from https://other.example'],
      [{}, 'the provider answered neither code nor error'],
    ] as const) {
      const { answer } = await cameBack(admin, query);
      const { reason, checks } = (await finish(admin, answer)).json.data;
      assert.equal(reason, 'provider-refused');
      assert.equal(checks[0].saw, saw);
    }
  });

  test('is judged once, for the session that began it', async () => {
    const { answer } = await cameBack(admin, { error: 'access_denied' });
    const otherSession = await loggedIn(server, 'root');
    const reader = await whoMay('read');
    const other = await createSigner(admin, { ...provider, issuer: `${provider.issuer}/x` }, 'Another', {
      externalAuthUrl: provider.issuer,
      clientId: 'x',
    });
    for (const refused of [
      await finish(otherSession, answer),
      await finish(reader, answer),
      await finish(admin, answer, other),
      await finish(admin, `${answer.slice(0, -2)}xx`),
    ]) {
      assert.equal(refused.status, 400);
      assert.equal(refused.json.error.code, 'INVALID_AUTH_REQUEST');
    }
    const both = await Promise.all([finish(admin, answer), finish(admin, answer)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    assert.equal((await finish(admin, answer)).status, 400);
    await admin.call('DELETE', `external-jwt-signers/${other}`);
  });

  test('belongs to the browser where it began, for ten minutes', async () => {
    const { href } = await begin(admin);
    const { headers, state } = await leave(href);
    const query = { state, iss: provider.issuer, code: 'x' };
    assert.equal((await comeBack(signerId, query, { accept })).status, 400);
    const { headers: elsewhere } = await leave(href);
    assert.equal((await comeBack(signerId, query, elsewhere)).status, 400);
    assert.equal((await comeBack('another', query, headers)).status, 400);
    const { answer } = handedOver(await comeBack(signerId, query, headers));
    // Texts that we have sealed for one purpose are not good for another.
    const link = new URL(href, server.url).searchParams.get('test') ?? '';
    assert.equal((await finish(admin, link)).status, 400);
    assert.equal((await finish(admin, state)).status, 400);
    const wrong = new URLSearchParams({ test: answer });
    assert.equal((await server.get(`/oidc/login/ext-jwt/test?${wrong}`, { headers })).status, 400);
    later = 10 * MINUTE;
    assert.equal((await server.get(href, { headers })).status, 400);
    assert.equal((await comeBack(signerId, query, headers)).status, 400);
    assert.equal((await finish(admin, answer)).status, 400);
    later = 0;
  });

  test('is for those who may read signers, and only for a signer with a sign-in', async () => {
    const nobody = await whoMay();
    assert.equal((await nobody.call('POST', `external-jwt-signers/${signerId}/test`)).status, 403);
    const other = await createSigner(admin, { ...provider, issuer: `${provider.issuer}/y` }, 'For programs');
    const refused = await admin.call('POST', `external-jwt-signers/${other}/test`);
    assert.equal(refused.status, 400);
    assert.equal(refused.json.error.cause.field, 'externalAuthUrl');
    assert.equal((await admin.call('POST', 'external-jwt-signers/unknown/test')).status, 404);
    await admin.call('DELETE', `external-jwt-signers/${other}`);
  });
});
