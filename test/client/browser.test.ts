// The built package in a real browser, in pages of another site than the server's.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { givePassword } from '../pages/support.ts';
import type { Visitor } from '../support/browser.ts';
import { visitor } from '../support/browser.ts';
import { buildClient, type ClientApplication, startClientApplication } from '../support/built-client.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let application: ClientApplication;
const client = buildClient();
before(async () => {
  application = await startClientApplication(client.folder, () => script());
  const { origin } = application;
  server = await startTestServer({
    configure: (yaml) =>
      yaml.replace(
        '      - binding: edge-management\n',
        `      - binding: edge-management
      - binding: edge-oidc
        options:
          redirectURIs: [${origin}/callback]
          postLogoutURIs: [${origin}/signed-out]
`,
      ),
  });
  await server.createUser({ name: 'alice', password });
  await server.createUser({ name: 'bob', password });
});
after(async () => {
  await server.close();
  await application.close();
  client.remove();
});

/** What an application writes: it opens the session, and shows what came of it. */
const script = () => `
import { createClientApi } from '@overlay-auth/client';
import { openBrowserSession } from '@overlay-auth/client/browser';

const remember = new URLSearchParams(location.search).get('remember') ?? sessionStorage.getItem('how') ?? 'memory';
sessionStorage.setItem('how', remember);
const session = await openBrowserSession({
  baseUrl: ${JSON.stringify(server.url)},
  redirectUri: location.origin + '/callback',
  postLogoutRedirectUri: location.origin + '/signed-out',
  remember,
});
const api = createClientApi({ baseUrl: ${JSON.stringify(server.url)}, token: session });
const events = [];
session.on((event) => events.push(event.kind === 'ended' ? 'ended ' + event.reason : event.kind));
const start = await session.start().catch((error) => ({ kind: error.kind, code: error.code, message: error.message }));
Object.assign(globalThis, { session, api, events, start });
document.documentElement.dataset.ready = '';
`;

/** Runs an expression in the page, after its script. */
async function inPage<T>(page: Page, expression: string): Promise<T> {
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return page.evaluate<T>(`(async () => { ${expression} })()`);
}

/** The bodies of the requests to the token endpoint that a page sends. */
function tokenRequests(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/oidc/token'))
      sent.push(request.postData() ?? '');
  });
  return sent;
}

async function opened(context: Visitor['context'], path = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(application.origin + path);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return page;
}

async function signIn(page: Page, name = 'alice', path = '/', options = ''): Promise<void> {
  await page.goto(application.origin + path);
  await inPage(page, `void session.signIn(${options});`);
  await page.locator('#username').waitFor();
  await givePassword(page, name, password);
  await page.waitForURL(`${application.origin}/**`);
  assert.equal(await inPage(page, 'return start.isSignedIn;'), true);
}

const whoAmI = (page: Page) =>
  inPage<string>(page, "return (await api.GET('/current-identity')).data.data.name;");
/** Renews whatever the page has now. */
const renewal = 'const { accessToken } = await session.tokens(); return session.renewedToken(accessToken);';
const outcome =
  "const { accessToken } = await session.tokens(); return session.renewedToken(accessToken).then(() => 'renewed', (error) => error.reason ?? String(error));";

test('somebody signs in, is back where they were, and calls the API', async () => {
  const { page, complaints, close } = await visitor();
  await signIn(page, 'alice', '/reports?year=2026#top');
  assert.equal(await inPage(page, 'return start.returnTo;'), '/reports?year=2026#top');
  assert.equal(page.url(), `${application.origin}/callback`, 'the code is gone from the address');
  assert.equal(await whoAmI(page), 'alice');
  const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
  assert.deepEqual(kept, '{"how":"memory"}', 'no token is stored, and nothing of the login');

  await page.reload();
  assert.equal(await inPage(page, 'return start.isSignedIn;'), false);
  assert.deepEqual(complaints, []);
  await close();
});

test('never continues at a foreign address', async () => {
  const { page, close } = await visitor();
  await signIn(page, 'alice', '/', "{ returnTo: 'https://evil.example/' }");
  assert.equal(await inPage(page, 'return start.returnTo;'), '/');
  await signIn(page, 'alice', '/', "{ returnTo: 'javascript:alert(1)' }");
  assert.equal(await inPage(page, 'return start.returnTo;'), '/');
  // Of this origin, and yet the path alone would name another host.
  await signIn(page, 'alice', '/', "{ returnTo: location.origin + '//evil.example/at?q#h' }");
  assert.equal(await inPage(page, 'return start.returnTo;'), '/evil.example/at?q#h');
  await close();
});

test('an answer to a login that this tab did not begin is refused', async () => {
  const { context, page, close } = await visitor();
  await page.goto(
    `${application.origin}/callback?code=c0de&state=x&iss=${encodeURIComponent(server.issuer)}`,
  );
  const start = await inPage(page, 'return start;');
  assert.equal((start as { code: string }).code, 'state_mismatch');
  assert.equal(page.url(), `${application.origin}/callback`);

  // The answer to somebody else's login, brought to a victim in another tab (RFC 9700 4.7).
  await page.goto(application.origin);
  await inPage(page, 'void session.signIn();');
  await page.locator('#username').waitFor();
  const answered = page.waitForRequest((request) => request.url().includes('/callback?'));
  await givePassword(page, 'alice', password);
  const answer = (await answered).url();
  assert.match(answer, /code=/);
  const victim = await context.newPage();
  await victim.goto(answer);
  assert.equal(await inPage(victim, 'return start.code;'), 'state_mismatch');
  await close();
});

describe('several tabs', () => {
  test('share one session: a new one joins it, and signing out ends it in all', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const second = await opened(context);
    assert.equal(await inPage(second, 'return start.isSignedIn;'), true);
    assert.equal(await whoAmI(second), 'alice');
    const { accessToken } = await inPage<{ accessToken: string }>(second, 'return session.tokens();');

    await inPage(page, 'void session.signOut();');
    await page.waitForURL(`${application.origin}/signed-out`);
    await second.waitForFunction('events.length > 0');
    assert.deepEqual(await inPage(second, 'return events;'), ['ended logged-out']);
    assert.equal(await inPage(second, 'return session.tokens();'), null);
    const headers = { authorization: `Bearer ${accessToken}` };
    assert.equal((await server.get('/edge/client/v1/current-identity', { headers })).status, 401);
    await close();
  });

  test('renew once, whichever begins', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const tabs = [page, await opened(context), await opened(context)];
    for (let round = 1; round <= 5; round += 1) {
      const sent = tabs.map(tokenRequests);
      // Each names the same old token: a tab that comes late has the new one already, and must not renew that.
      const old = await inPage<string>(page, 'return (await session.tokens()).accessToken;');
      const renewed = `return session.renewedToken(${JSON.stringify(old)});`;
      const tokens = await Promise.all(tabs.map((tab) => inPage<string>(tab, renewed)));
      assert.equal(new Set(tokens).size, 1, `round ${round}`);
      assert.equal(sent.flat().length, 1, `round ${round}`);
      for (const tab of tabs) tab.removeAllListeners('request');
    }
    assert.equal(await whoAmI(page), 'alice');
    await close();
  });

  test('never use an old token, even if the new one died with its tab', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const second = await opened(context);
    // What this tab says reaches nobody: as if the browser had ended it in the middle.
    await page.evaluate('BroadcastChannel.prototype.postMessage = () => undefined;');
    await inPage(page, renewal);
    await page.close();
    const sent = tokenRequests(second);
    assert.equal(await inPage(second, outcome), 'ended-elsewhere');
    assert.deepEqual(sent, []);
    await close();
  });

  test('of different people stay apart', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const second = await opened(context);
    await signIn(second, 'bob');
    assert.equal(await whoAmI(second), 'bob');
    assert.equal(await whoAmI(page), 'alice');
    await Promise.all([inPage(page, renewal), inPage(second, renewal)]);
    assert.deepEqual([await whoAmI(page), await whoAmI(second)], ['alice', 'bob']);
    await close();
  });
});

describe('a tab that remembers', () => {
  test('continues after a reload, and its copy does not use the token again', async () => {
    const { context, page, close } = await visitor();
    await signIn(page, 'alice', '/?remember=tab');
    await page.reload();
    assert.equal(await inPage(page, 'return start.isSignedIn;'), true);
    assert.equal(await whoAmI(page), 'alice');

    // What duplicating a tab does: a page with the same sessionStorage, which then becomes old.
    const stored = await page.evaluate<string>('JSON.stringify(sessionStorage)');
    await inPage(page, renewal);
    const copy = await context.newPage();
    await copy.addInitScript(
      `for (const [name, value] of Object.entries(${stored})) sessionStorage.setItem(name, value);`,
    );
    await copy.goto(application.origin);
    assert.equal(await inPage(copy, outcome), 'renewed');
    assert.equal(await whoAmI(copy), 'alice');
    assert.equal(await whoAmI(page), 'alice');
    await close();
  });

  test('ignores whatever else is in its storage', async () => {
    const { page, close } = await visitor();
    const name = `overlay-auth ${server.issuer} overlay`;
    for (const text of ['{', '[]', '{"session":1}', 'null', '{"session":"x","tokens":{}}']) {
      await page.goto(application.origin);
      await page.evaluate(
        ([key, value]) => sessionStorage.setItem(key as string, value as string),
        [name, text],
      );
      await page.goto(`${application.origin}/?remember=tab`);
      assert.equal(await inPage(page, 'return start.isSignedIn;'), false, text);
    }
    await close();
  });
});

test('a session that the server has ended is an event', async () => {
  const { page, close } = await visitor();
  await signIn(page);
  const tokens = await inPage<{ refreshToken: string }>(page, 'return session.tokens();');
  const form = { client_id: 'overlay', token: tokens.refreshToken };
  await server.post('/oidc/revoke', { form });
  assert.equal(await inPage(page, outcome), 'refused');
  assert.deepEqual(await inPage(page, 'return events;'), ['ended refused']);
  await close();
});
