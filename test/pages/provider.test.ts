// Signing in at another provider, in a real browser, at a provider that is not ours.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Application, startApplication } from '../support/application.ts';
import { visitor } from '../support/browser.ts';
import {
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
} from '../support/external-jwt.ts';
import { type Caller, password, rootOf } from '../support/management.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { assertLoggedIn, beginAt, givePassword, signInAtProvider } from './support.ts';

let server: TestServer;
let application: Application;
let provider: OpenIdProvider;
let admin: Caller;
let signerId: string;

function callbackOf(id: string): string {
  return `${server.url}/oidc/login/ext-jwt/callback/${id}`;
}

function comeBack(id: string, query: Record<string, string>, headers: Record<string, string>) {
  return server.get(`/oidc/login/ext-jwt/callback/${id}?${new URLSearchParams(query)}`, { headers });
}

before(async () => {
  application = await startApplication();
  server = await startTestServer();
  admin = await rootOf(server);
  provider = await startOpenIdProvider();
  signerId = await createSigner(admin, provider, 'Example ID', {
    audience: provider.clientId,
    externalAuthUrl: provider.issuer,
    clientId: provider.clientId,
    targetToken: 'ID',
  });
  provider.register(callbackOf(signerId));
  await createIdentity(server, 'ana', { externalId: 'ana' });
  const both = await createPolicy(server, 'both', { secondary: { requireExtJwt: signerId } });
  const bob = await createUserWithPolicy(server, 'bob', both);
  await server.store.identities.update(bob, { externalId: 'bob' }, server.clock.now());
});
after(async () => {
  await server.close();
  await provider.close();
  await application.close();
});

for (const scripts of [true, false]) {
  describe(scripts ? 'with scripts' : 'without scripts', () => {
    test('the button leads to the provider and back to the application', async () => {
      const ana = await visitor({ scripts });
      await beginAt(server, application, ana.page);
      await ana.page.click('text=Continue with Example ID');
      await signInAtProvider(provider, ana.page, 'ana');
      await assertLoggedIn(server, application, ana.page);
      await ana.close();
    });

    test('it is the second proof where the policy asks for one', async () => {
      const bob = await visitor({ scripts });
      await beginAt(server, application, bob.page);
      await givePassword(bob.page, 'bob', password);
      await bob.page.click('#second-provider');
      await signInAtProvider(provider, bob.page, 'bob');
      await assertLoggedIn(server, application, bob.page);
      await bob.close();
    });
  });
}

test('an account that nobody here has leads back to the page, which offers the other ways', async () => {
  const stranger = await visitor();
  const { page } = stranger;
  await beginAt(server, application, page, { method: 'ext-jwt' });
  await page.click('text=Continue with Example ID');
  const answered = page.waitForResponse((answer) => answer.url().includes('/ext-jwt/callback/'));
  await signInAtProvider(provider, page, 'nobody');
  assert.equal((await answered).status(), 401);
  assert.match(await page.title(), /^Error: /);
  assert.equal(await page.locator(':focus').getAttribute('id'), 'failure');
  await page.click('#use-password');
  await givePassword(page, 'root', password);
  await assertLoggedIn(server, application, page);
  await stranger.close();
});

test('another account does not confirm somebody for the second proof', async () => {
  const bob = await visitor();
  await beginAt(server, application, bob.page);
  await givePassword(bob.page, 'bob', password);
  await bob.page.click('#second-provider');
  await signInAtProvider(provider, bob.page, 'ana');
  assert.match(await bob.page.title(), /^Error: /);
  assert.equal(await bob.page.locator('#second-provider').count(), 1);
  await bob.close();
});

test('the way back belongs to the browser that went, once', async () => {
  const ana = await visitor();
  await beginAt(server, application, ana.page);
  const back = ana.page.waitForRequest((request) => request.url().includes('/ext-jwt/callback/'));
  await ana.page.click('text=Continue with Example ID');
  await signInAtProvider(provider, ana.page, 'ana');
  const url = (await back).url();
  await assertLoggedIn(server, application, ana.page);
  const other = await visitor();
  assert.equal((await other.page.goto(url))?.status(), 400);
  assert.notEqual((await ana.page.goto(url))?.status(), 200);
  assert.ok(!ana.page.url().startsWith(application.redirectUri));
  await other.close();
  await ana.close();
});

describe('an answer that is not what was asked for', () => {
  const accept = 'text/html';
  async function begun() {
    const page = await visitor();
    await beginAt(server, application, page.page);
    const href = (await page.page.getByText('Continue with Example ID').getAttribute('href')) ?? '';
    const [cookie] = await page.context.cookies(server.url);
    const headers = { accept, cookie: `${cookie?.name}=${cookie?.value}` };
    const leaving = await server.get(href, { headers });
    await page.close();
    return { headers, parameters: new URL(String(leaving.headers.location)).searchParams };
  }

  test('asks the provider with PKCE, a nonce and our callback', async () => {
    const { parameters } = await begun();
    assert.equal(parameters.get('code_challenge_method'), 'S256');
    assert.match(String(parameters.get('nonce')), /^[\w-]{43}$/);
    assert.equal(parameters.get('redirect_uri'), callbackOf(signerId));
    assert.equal(parameters.get('scope'), 'openid');
  });

  test('is refused, and the decision record says why', async () => {
    const { headers, parameters } = await begun();
    const state = parameters.get('state') ?? '';
    const iss = provider.issuer;
    const answers: [Record<string, string>, number, string | null][] = [
      [{ state, iss, error: 'access_denied' }, 401, 'provider-refused'],
      [{ state, iss }, 401, 'provider-refused'],
      [{ state, code: 'x', iss: 'https://other.example' }, 401, 'provider-refused'],
      [{ state, iss, code: 'made-up' }, 503, 'provider-unavailable'],
      [{ state: `${state.slice(0, -2)}xx`, code: 'x' }, 400, null],
      [{ state: 'x', code: 'x' }, 400, null],
    ];
    for (const [query, status, reason] of answers) {
      const answer = await comeBack(signerId, query, headers);
      assert.equal(answer.status, status, JSON.stringify(query));
      assert.equal(await reasonOf(server, answer), reason, JSON.stringify(query));
    }
  });

  test('that does not say who answers is refused where the provider promises to (RFC 9207)', async () => {
    const { headers, parameters } = await begun();
    const state = parameters.get('state') ?? '';
    for (const query of [{ code: 'made-up' }, { error: 'access_denied' }]) {
      const answer = await comeBack(signerId, { state, ...query }, headers);
      assert.equal(answer.status, 401);
      assert.equal(await reasonOf(server, answer), 'provider-refused');
    }
  });

  test('that comes to the callback of another signer reaches no token endpoint', async () => {
    // A provider that forwards the browser to an honest one: the code of that one comes back with its own state.
    const other = await startTestIdp();
    const id = await createSigner(admin, other, 'Honest', { externalAuthUrl: other.issuer, clientId: 'x' });
    const { headers, parameters } = await begun();
    const state = parameters.get('state') ?? '';
    for (const stranger of [id, 'unknown', `${signerId}x`]) {
      const answer = await comeBack(
        stranger,
        { state, iss: provider.issuer, code: 'of-the-honest-one' },
        headers,
      );
      assert.equal(answer.status, 400, stranger);
      assert.equal(await reasonOf(server, answer), null);
    }
    const query = new URLSearchParams({ state, code: 'x' });
    assert.equal((await server.get(`/oidc/login/ext-jwt/callback?${query}`, { headers })).status, 404);
    assert.equal(other.requests.size, 0);
    await admin.call('DELETE', `external-jwt-signers/${id}`);
    await other.close();
  });
});

test('a provider that cannot be reached, or is another one, is said so', async () => {
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
  const answer = await page.goto(`${server.url}${path}&authRequestID=${request}`);
  assert.equal(answer?.status(), 404);
  await close();
});
