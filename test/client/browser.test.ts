// The built package in a real browser, in pages of another site than the server's.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { givePassword } from '../pages/support.ts';
import { type Visitor, visitor } from '../support/browser.ts';
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

const asked = new URLSearchParams(location.search).get('remember') ?? sessionStorage.getItem('how');
if (asked !== null) sessionStorage.setItem('how', asked);
const session = await openBrowserSession({
  baseUrl: ${JSON.stringify(server.url)},
  redirectUri: location.origin + '/callback',
  postLogoutRedirectUri: location.origin + '/signed-out',
  remember: asked ?? undefined,
  newKey: undefined,
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
/** Renews the tokens of the page. */
const renewal = 'const { accessToken } = await session.tokens(); return session.renewedToken(accessToken);';
const outcome =
  "const { accessToken } = await session.tokens(); return session.renewedToken(accessToken).then(() => 'renewed', (error) => error.reason ?? String(error));";

test('a person signs in, is back where they were, and calls the API', async () => {
  const { page, complaints, close } = await visitor();
  await signIn(page, 'alice', '/reports?year=2026#top');
  assert.equal(await inPage(page, 'return start.returnTo;'), '/reports?year=2026#top');
  assert.equal(page.url(), `${application.origin}/callback`, 'the code is gone from the address');
  assert.equal(await whoAmI(page), 'alice');
  // Soon after its start the server requires a nonce.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('status of 400')),
    [],
  );
  await close();
});

test('one who is to be remembered by the page alone signs in again after a reload', async () => {
  const { page, close } = await visitor();
  await signIn(page, 'alice', '/?remember=memory');
  assert.equal(await whoAmI(page), 'alice');
  const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
  assert.deepEqual(kept, '{"how":"memory"}', 'no token is stored, and nothing of the login');
  assert.equal(await page.evaluate('document.cookie'), '');
  await page.reload();
  assert.equal(await inPage(page, 'return start.isSignedIn;'), false);
  await close();
});

test('a page whose address is the redirect URI may have a query of its own', async () => {
  const { page, close } = await visitor();
  await page.goto(`${application.origin}/callback?tab=2`);
  assert.deepEqual(await inPage(page, 'return start;'), { isSignedIn: false });
  await signIn(page);
  await page.goto(`${application.origin}/callback?tab=2`);
  assert.deepEqual(await inPage(page, 'return start;'), { isSignedIn: true });
  assert.equal(page.url(), `${application.origin}/callback?tab=2`);
  await close();
});

test('a person signs in with a computer whose clock is wrong', async () => {
  for (const minutes of [-300, 300]) {
    const { context, page, close } = await visitor();
    await context.addInitScript(`const right = Date.now; Date.now = () => right() + ${minutes} * 60_000;`);
    await signIn(page);
    assert.equal(await whoAmI(page), 'alice');
    await close();
  }
});

test('a page whose browser denies it a storage is told so, and what to allow', async () => {
  const { context, close } = await visitor();
  const page = await opened(context);
  const denied = `
    Object.defineProperty(globalThis, 'sessionStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
    const { openBrowserSession } = await import('@overlay-auth/client/browser');
    const options = { baseUrl: 'https://nowhere.invalid', redirectUri: location.origin + '/callback' };
    return openBrowserSession(options).catch(({ name, kind, message }) => [name, kind, message]);`;
  const [name, kind, message] = await inPage<string[]>(page, denied);
  assert.deepEqual([name, kind], ['StorageDenied', 'storage-denied']);
  assert.match(message ?? '', /allow cookies/);
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

  // The answer to an attacker's login, brought to a victim in another tab (RFC 9700 4.7).
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

for (const remember of ['browser', 'memory'])
  describe(`several tabs of a page that remembers in its ${remember}`, () => {
    const how = `/?remember=${remember}`;
    test('share one session: a new one joins it, and signing out ends it in all', async () => {
      const { context, page, close } = await visitor();
      await signIn(page, 'alice', how);
      const second = await opened(context, how);
      assert.equal(await inPage(second, 'return start.isSignedIn;'), true);
      assert.equal(await whoAmI(second), 'alice');
      const refreshToken = await inPage<string>(second, 'return (await session.tokens()).refreshToken;');

      await inPage(page, 'void session.signOut();');
      await page.waitForURL(`${application.origin}/signed-out`);
      await second.waitForFunction('events.length > 0');
      assert.deepEqual(await inPage(second, 'return events;'), ['ended logged-out']);
      assert.equal(await inPage(second, 'return session.tokens();'), null);
      const form = { grant_type: 'refresh_token', client_id: 'overlay', refresh_token: refreshToken };
      assert.equal((await server.post('/oidc/token', { form })).json.error, 'invalid_grant');
      assert.deepEqual((await inPage<{ rows: object[] }>(second, exported)).rows, []);
      await close();
    });

    test('stay signed out when a slow tab still offers the session that has ended', async () => {
      const { context, page, close } = await visitor();
      await signIn(page, 'alice', how);
      const second = await opened(context, how);
      await inPage(
        page,
        `const say = BroadcastChannel.prototype.postMessage;
        BroadcastChannel.prototype.postMessage = function (message) {
          globalThis.said = [this.name, message];
          say.call(this, message);
        };
        ${renewal}`,
      );
      await inPage(second, 'void session.signOut();');
      await page.waitForFunction("events.includes('ended logged-out')");
      await inPage(
        page,
        `const [slow, witness] = [new BroadcastChannel(said[0]), new BroadcastChannel(said[0])];
        const heard = new Promise((resolve) => { witness.onmessage = resolve; });
        slow.postMessage(said[1]);
        await heard;`,
      );
      assert.equal(await inPage(page, 'return said[1].kind;'), 'has');
      assert.deepEqual(await inPage(page, 'return events;'), ['renewed', 'ended logged-out']);
      assert.equal(await inPage(page, 'return session.tokens();'), null);
      await close();
    });

    test('renew once, whichever begins', async () => {
      const { context, page, close } = await visitor();
      await signIn(page, 'alice', how);
      const tabs = [page, await opened(context, how), await opened(context, how)];
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
      await signIn(page, 'alice', how);
      const second = await opened(context, how);
      // Messages of this tab reach no other tab: as if the browser had ended it in the middle.
      await page.evaluate('BroadcastChannel.prototype.postMessage = () => undefined;');
      await inPage(page, renewal);
      await page.close();
      const sent = tokenRequests(second);
      const used = await inPage<string>(second, 'return (await session.tokens()).refreshToken;');
      assert.equal(
        await inPage(second, outcome),
        remember === 'browser' ? 'renewed' : 'ended-elsewhere',
        'the new one is in the browser, if that remembers',
      );
      assert.ok(sent.every((form) => !form.includes(used)));
      await close();
    });

    test('of different people stay apart', async () => {
      const { context, page, close } = await visitor();
      await signIn(page, 'alice', how);
      const second = await opened(context, how);
      await signIn(second, 'bob', how);
      assert.equal(await whoAmI(second), 'bob');
      assert.equal(await whoAmI(page), 'alice');
      await Promise.all([inPage(page, renewal), inPage(second, renewal)]);
      assert.deepEqual([await whoAmI(page), await whoAmI(second)], ['alice', 'bob']);
      await close();
    });
  });

/** Every row of every database of this origin, as a script can take it away, and every key that it can export. */
const exported = `
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const opened = await new Promise((over) => { indexedDB.open(name).onsuccess = ({ target }) => over(target.result); });
    for (const store of opened.objectStoreNames) {
      const reading = opened.transaction(store).objectStore(store).getAll();
      found.push(...await new Promise((over) => { reading.onsuccess = () => over(reading.result); }));
    }
    opened.close();
  }
  const keys = [];
  const show = (value) => {
    if (value instanceof CryptoKey) return void keys.push(value);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer ?? value)];
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, show(member)]));
  };
  const rows = found.map(show);
  const secrets = keys.filter(({ type }) => type !== 'public');
  const formats = ['jwk', 'pkcs8', 'raw'];
  const stolen = await Promise.all(
    secrets.flatMap((key) => formats.map((format) => crypto.subtle.exportKey(format, key).then(() => true, () => false))),
  );
  return { rows, keys: secrets.length, stolen: stolen.filter(Boolean).length };`;

describe('a browser that remembers', () => {
  test('continues after a reload, in another tab and later, and asks again when it was closed', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    await page.goto('about:blank');
    const again = await opened(context);
    const sent = tokenRequests(again);
    for (let time = 0; time < 3; time += 1) {
      await again.reload();
      assert.equal(await inPage(again, 'return start.isSignedIn;'), true);
    }
    assert.equal(await whoAmI(again), 'alice');
    assert.deepEqual(sent, [], 'nothing is renewed for a reload');

    // Closing the browser drops the cookies that have no end.
    await again.close();
    await context.clearCookies();
    const later = await opened(context);
    assert.equal(await inPage(later, 'return start.isSignedIn;'), false);
    assert.deepEqual((await inPage<{ rows: object[] }>(later, exported)).rows, []);
    await close();
  });

  test('keeps nothing that is worth something elsewhere', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const kept = await inPage<{ rows: object[]; keys: number; stolen: number }>(page, exported);
    assert.equal(kept.rows.length, 1);
    assert.deepEqual({ keys: kept.keys, stolen: kept.stolen }, { keys: 2, stolen: 0 });
    const outside = JSON.stringify([kept.rows, await context.storageState()]);
    const tokens = await inPage<Record<string, string>>(page, 'return session.tokens();');
    const { accessToken = '', refreshToken = '', idToken = '' } = tokens;
    for (const token of [accessToken, refreshToken, idToken]) assert.ok(!outside.includes(token));
    assert.doesNotMatch(outside, /eyJ/);

    // Even the tokens from the memory of the page are worthless without the key, or with another one.
    const read = (headers: Record<string, string>) =>
      server.get('/edge/client/v1/current-identity', { headers });
    assert.equal((await read({ authorization: `Bearer ${accessToken}` })).status, 401);
    assert.equal((await read({ authorization: `DPoP ${accessToken}` })).status, 401);
    const form = { grant_type: 'refresh_token', client_id: 'overlay', refresh_token: refreshToken };
    assert.equal((await server.post('/oidc/token', { form })).status, 400);
    const thief = await visitor();
    await signIn(thief.page, 'bob');
    const withTokens = (action: string) =>
      inPage<string>(
        thief.page,
        `
      const { createClientApi } = await import('@overlay-auth/client');
      const proving = await session.proving();
      const stolen = ${JSON.stringify({ accessToken, refreshToken })};
      ${action}`,
      );
    const called = await withTokens(`
      const token = { accessToken: async () => stolen.accessToken, renewedToken: async () => stolen.accessToken, proving: async () => proving };
      const api = createClientApi({ baseUrl: ${JSON.stringify(server.url)}, token });
      return api.GET('/current-identity').then(() => 'in', (error) => String(error.status));`);
    assert.equal(called, '401');
    const refreshed = await withTokens(`
      const body = new URLSearchParams({ ...${JSON.stringify(form)} });
      const request = new Request(${JSON.stringify(`${server.issuer}/token`)}, { method: 'POST', body });
      return (await (await proving(fetch)(request)).json()).error;`);
    assert.equal(refreshed, 'invalid_grant');
    await thief.close();
    // The owner works on.
    assert.equal(await inPage(page, outcome), 'renewed');
    await close();
  });

  test('keeps two people apart: a reload continues with the same one, and a new tab with the last who came', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
    const second = await opened(context);
    await signIn(second, 'bob');
    await page.reload();
    await second.reload();
    assert.deepEqual([await whoAmI(page), await whoAmI(second)], ['alice', 'bob']);
    const third = await opened(context);
    assert.equal(await whoAmI(third), 'bob');
    await inPage(third, 'void session.signOut();');
    await third.waitForURL(`${application.origin}/signed-out`);
    await second.reload();
    assert.equal(
      await inPage(second, 'return start.isSignedIn;'),
      false,
      'who signs out is not somebody else then',
    );
    assert.equal(await whoAmI(page), 'alice');
    await close();
  });

  for (const [what, fetching] of [
    ['its renewal arrived', '() => new Promise(() => { globalThis.isSending = true; })'],
    [
      'the answer of its renewal arrived',
      `(send => async (...request) => {
        const answer = await send(...request);
        if (!answer.ok) return answer;
        globalThis.isSending = true;
        return new Promise(() => {});
      })(globalThis.fetch)`,
    ],
  ]) {
    test(`continues when a tab was closed before ${what}`, async () => {
      const { context, page, close } = await visitor();
      await signIn(page);
      await page.evaluate(`globalThis.fetch = ${fetching};`);
      await inPage(page, `void (async () => { ${renewal} })();`);
      await page.waitForFunction('globalThis.isSending');
      await page.close();
      const next = await opened(context);
      assert.equal(await inPage(next, outcome), 'renewed');
      assert.equal(await whoAmI(next), 'alice');
      await close();
    });
  }

  test('asks again when the server has ended the session meanwhile', async () => {
    const { page, close } = await visitor();
    // It looks good for less than a minute, so that the time can pass without a clock that proofs cannot have.
    await page.route('**/oidc/token', async (route) => {
      const answer = await route.fetch();
      const tokens = await answer.json();
      await route.fulfill({
        response: answer,
        json: { ...tokens, ...('expires_in' in tokens && { expires_in: 60 }) },
      });
    });
    await signIn(page);
    const token = await inPage<string>(page, 'return (await session.tokens()).refreshToken;');
    await server.post('/oidc/revoke', { form: { client_id: 'overlay', token } });
    await page.addInitScript('const { now } = Date; Date.now = () => now() + 50_000;');
    await page.reload();
    assert.equal(await inPage(page, 'return start.isSignedIn;'), false);
    assert.deepEqual((await inPage<{ rows: object[] }>(page, exported)).rows, []);
    await close();
  });

  test('keeps sessions to the page where it has no place for keys, and shares none', async () => {
    const broken = {
      'IndexedDB is blocked':
        "IDBFactory.prototype.open = () => { throw new DOMException('blocked', 'SecurityError'); };",
      'it is not there': "Object.defineProperty(globalThis, 'indexedDB', { value: undefined });",
    };
    for (const [what, script] of Object.entries(broken)) {
      const { context, page, close } = await visitor();
      await context.addInitScript(script);
      await signIn(page);
      assert.equal(await inPage(page, outcome), 'renewed', what);
      assert.equal(await whoAmI(page), 'alice', what);
      const second = await opened(context);
      assert.equal(await inPage(second, 'return start.isSignedIn;'), false, what);
      await page.reload();
      assert.equal(await inPage(page, 'return start.isSignedIn;'), false, what);
      await context.close();
      await close().catch(() => undefined);
    }
  });

  test('shares a session among tabs, and keeps none, where it has no place for a cookie', async () => {
    const { context, page, close } = await visitor();
    // As in a frame of another site, and in Safari for a cookie that is Secure, on http://localhost.
    await context.addInitScript(
      "Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set() {} });",
    );
    await signIn(page);
    const second = await opened(context);
    assert.equal(await inPage(second, 'return start.isSignedIn;'), true);
    for (const tab of [page, second]) {
      assert.equal(await inPage(tab, outcome), 'renewed');
      assert.equal(await whoAmI(tab), 'alice');
    }
    assert.equal((await inPage<{ keys: number }>(page, exported)).keys, 0);
    await close();
  });

  test('keeps no tokens of a server that does not bind them', async () => {
    const { page, close } = await visitor();
    await page.route('**/.well-known/openid-configuration', async (route) => {
      const answer = await route.fetch();
      const { dpop_signing_alg_values_supported: _, ...older } = await answer.json();
      await route.fulfill({ response: answer, json: older });
    });
    await signIn(page);
    assert.equal(await inPage(page, 'return session.proving();'), undefined);
    assert.equal(await inPage(page, outcome), 'renewed');
    assert.equal(await whoAmI(page), 'alice');
    assert.equal((await inPage<{ keys: number }>(page, exported)).keys, 0);
    await page.reload();
    assert.equal(await inPage(page, 'return start.isSignedIn;'), false);
    await close();
  });

  test('ignores foreign entries of its storage', async () => {
    const { page, close } = await visitor();
    const name = `overlay-auth ${server.issuer} overlay`;
    for (const text of ['{', '[]', '{"session":1}', 'null', '{"session":"x","identityId":"y"}']) {
      await page.goto(application.origin);
      await page.evaluate(
        ([key, value]) => sessionStorage.setItem(key as string, value as string),
        [name, text],
      );
      await page.goto(application.origin);
      assert.equal(await inPage(page, 'return start.isSignedIn;'), false, text);
    }
    await close();
  });

  test('a copy of a tab does not use its token again', async () => {
    const { context, page, close } = await visitor();
    await signIn(page);
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
