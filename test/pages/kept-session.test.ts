// The session of console and account page in a real browser: it stays with the browser and cannot leave it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import { type Visitor, visitor } from '../support/browser.ts';
import { password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { atConsole, giveLogin } from './console-support.ts';

let server = await startTestServer();
await rootOf(server);
after(() => server.close());

/** The pages of the provider that a browser goes to: none while the person is not asked. */
function visitsOfProvider({ context }: Pick<Visitor, 'context'>): readonly string[] {
  const visits: string[] = [];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.isNavigationRequest() && pathname.startsWith('/oidc/')) visits.push(pathname);
  });
  return visits;
}

async function opened(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(server.url + path);
  return page;
}

const accountShown = (page: Page) => page.locator('#sign-out').waitFor();
const people = (page: Page) => page.getByRole('link', { name: 'root' }).first().waitFor();

async function restart(): Promise<void> {
  await server.stop();
  const { port } = new URL(server.url);
  server = await startTestServer({
    home: server.home,
    configure: (yaml) => yaml.replaceAll(/(127\.0\.0\.1|localhost):0\b/g, `$1:${port}`),
  });
}

test('one sign-in is enough for reloads, the account and back, a bookmark, a second tab and a restarted server', async () => {
  await using guest = await atConsole(server, 'root', '/console/people');
  const { page, context } = guest;
  await people(page);
  const visits = visitsOfProvider(guest);
  await page.reload();
  await people(page);
  await page.locator('a[href="/account"]').first().click();
  await accountShown(page);
  await page.reload();
  await accountShown(page);
  await page.goBack();
  await people(page);
  // A bookmark, when no page of ours is open.
  await page.goto('about:blank');
  await page.goto(`${server.url}/console/people`);
  await people(page);
  const second = await opened(context, '/account#sessions');
  await accountShown(second);
  await restart();
  await page.reload();
  await people(page);
  await second.reload();
  await accountShown(second);
  assert.deepEqual(visits, []);
});

test('signing out in one tab ends the session in all, and leaves neither tokens nor keys', async () => {
  await using guest = await atConsole(server, 'root');
  const { page, context } = guest;
  const account = await opened(context, '/account');
  await accountShown(account);
  assert.notDeepEqual(await account.evaluate('indexedDB.databases()'), []);
  await account.locator('#sign-out').click();
  await account.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor();
  assert.deepEqual(await page.evaluate('indexedDB.databases()'), []);
  await page.reload();
  await page.locator('#username').waitFor();
});

test('a person whose session ended signs in once: the other tabs go on by themselves', async () => {
  const evaId = await server.createUser({ name: 'eva', password, isAdmin: true });
  await using guest = await atConsole(server, 'eva');
  const { page, context } = guest;
  const second = await opened(context, '/console/people');
  await people(second);
  await server.store.apiSessions.endAllOf(asId<IdentityId>(evaId), 'administrator', server.clock.now());
  const ended = (tab: Page) => tab.getByRole('alertdialog', { name: 'Your session has ended' });
  await page.locator('nav a[href="/console/people"]').click();
  for (const tab of [page, second]) await ended(tab).waitFor();
  const [beside] = await Promise.all([
    context.waitForEvent('page'),
    second.locator('#sign-in-again').click(),
  ]);
  await giveLogin(beside, 'eva');
  for (const tab of [second, page]) await ended(tab).waitFor({ state: 'detached' });
  // The call that waited in the other tab is answered.
  await people(page);
});

test('a tab that waits to be signed in takes over the sign-in of another tab', async () => {
  await using guest = await visitor();
  const { page, context } = guest;
  await page.goto(`${server.url}/account`);
  await page.locator('#sign-in').waitFor();
  const second = await opened(context, '/account');
  await second.locator('#sign-in').click();
  await giveLogin(second, 'root');
  await accountShown(second);
  const visits = visitsOfProvider(guest);
  await page.locator('#sign-in').click();
  await accountShown(page);
  assert.deepEqual(visits, []);
});

test('a browser that was closed asks again', async () => {
  await using guest = await atConsole(server, 'root');
  const { page, context } = guest;
  await page.goto('about:blank');
  // What closing it does to cookies without an end.
  await context.clearCookies();
  await page.goto(`${server.url}/console`);
  await page.locator('#username').waitFor();
});
