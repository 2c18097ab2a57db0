// A standard client in a browser, in a page of another site: what it needs of the protocol endpoints besides their
// answers are CORS, and headers that let an invisible frame come back to its own page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { visitor } from '../support/browser.ts';
import { type BrowserApplication, startBrowserApplication } from '../support/browser-application.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { givePassword } from './support.ts';

let server: TestServer;
let application: BrowserApplication;
before(async () => {
  application = await startBrowserApplication(() => server.issuer);
  const { origin } = application;
  server = await startTestServer({
    configure: (yaml) =>
      yaml.replace(
        '      - binding: edge-management\n',
        `      - binding: edge-management
      - binding: edge-oidc
        options:
          redirectURIs: [${origin}/callback, ${origin}/silent]
          postLogoutURIs: [${origin}/signed-out]
`,
      ),
  });
  await server.createUser({ name: 'alice', password });
});
after(async () => {
  await server.close();
  await application.close();
});

/** Waits for the client of the page, and runs an expression with it. */
async function withManager<T>(page: Page, expression: string): Promise<T> {
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return page.evaluate<T>(`(async () => { ${expression} })()`);
}

/** Status of a call of the client API from the page with a token. */
const whoAmI = (page: Page, token: string) =>
  withManager<number>(
    page,
    `const headers = { authorization: 'Bearer ' + ${JSON.stringify(token)} };
    const answer = await fetch('${server.url}/edge/client/v1/current-identity', { headers });
    return answer.status;`,
  );

interface User {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly profile: { readonly sub: string; readonly name?: string };
}

test('oidc-client-ts logs in, notices that the browser is not signed in, refreshes and logs out', async () => {
  const { page, complaints, close } = await visitor();
  await page.goto(application.origin);

  // The browser is not logged in: the frame is sent back to the application with the reason (OIDC Core 3.1.2.1).
  const silent = await withManager<string>(
    page,
    "return manager.signinSilent().then(() => 'signed in', (error) => error.error ?? String(error));",
  );
  assert.equal(silent, 'login_required');

  await withManager(page, 'void manager.signinRedirect();');
  await page.locator('#username').waitFor();
  await givePassword(page, 'alice', password);
  const user = await withManager<User>(page, 'return manager.getUser();');
  assert.ok(page.url().startsWith(`${application.origin}/callback?code=`), page.url());
  assert.equal(user.profile.name, 'alice');
  assert.equal(await whoAmI(page, user.access_token), 200);

  const renewed = await withManager<User>(page, 'return manager.signinSilent();');
  assert.notEqual(renewed.access_token, user.access_token);
  assert.notEqual(renewed.refresh_token, user.refresh_token);
  assert.equal(renewed.profile.sub, user.profile.sub);
  assert.equal(await whoAmI(page, renewed.access_token), 200);
  assert.deepEqual(complaints, []);

  await withManager(page, "void manager.signoutRedirect({ state: 'bye' });");
  await page.waitForURL(`${application.origin}/signed-out?**`);
  assert.equal(await whoAmI(page, renewed.access_token), 401);
  await close();
});

test('a frame of another site shows none of our pages', async () => {
  const { page, complaints, close } = await visitor();
  await page.goto(application.origin);
  await withManager(
    page,
    `const frame = document.createElement('iframe');
    frame.src = '${server.url}/account';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;`,
  );
  assert.ok(
    complaints.some((complaint) => complaint.includes('frame-ancestors')),
    complaints.join('\n'),
  );
  await close();
});
