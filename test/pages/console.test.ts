// The console in a real browser, against a real controller: the shell, and what holds for every screen.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { screenshot, type Visitor, visitor, wide } from '../support/browser.ts';
import { password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';
import { announced, assertClean, atConsole, colleague, giveLogin, go, phone } from './console-support.ts';

const admin = colleague(() => server, 'root');
// Its store is broken, which reaches the thread of the test only.
const server = await startTestServer({ threads: 1 });
const root = await rootOf(server);
after(async () => {
  await admin.close();
  await server.close();
});

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

/** The person comes back to the window after more than a minute. */
const comeBack = (page: Page) =>
  page.evaluate(`{
    const { now } = Date;
    Date.now = () => now() + 61_000;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    setTimeout(() => (Date.now = now));
  }`);

const noRight = [[], 'Your account lacks the permission.'] as const;

/** The person is no administrator any more, comes back to the window, and reads so. */
async function losesRight(
  page: Page,
  { id, permissions, said }: { id: string; permissions: readonly string[]; said: string },
): Promise<void> {
  await root.call('PATCH', `identities/${id}`, { isAdmin: false, permissions });
  await comeBack(page);
  await page.locator('#right').getByText(said).waitFor();
}

describe('the shell', () => {
  test('signs in on the way to any address, and out, with no token in an address or a store', async () => {
    await using guest = await visitor();
    const { page } = guest;
    const addresses: string[] = [];
    page.on('request', (request) => void addresses.push(request.url()));
    await page.goto(`${server.url}/console/attempts?outcome=refused`);
    await page.locator('.lead', { hasText: /^to continue to the console$/ }).waitFor();
    await giveLogin(page, 'root');
    await heading(page, 'Sign-in attempts').waitFor();
    assert.equal(page.url(), `${server.url}/console/attempts?outcome=refused`);
    const stores = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])';
    assert.doesNotMatch(await page.evaluate(stores), /eyJ|token/i);
    await page.locator('#sign-out').click();
    await heading(page, 'You are signed out').waitFor();
    assert.equal(page.url(), `${server.url}/console/signed-out`);
    assert.ok(addresses.every((address) => !/eyJ[\w-]+\.eyJ|refresh_token|id_token/.test(address)));
    await assertClean(guest);
    await page.locator('#sign-in').click();
    await page.locator('#username').waitFor();
  });

  test('accepts no answer to a sign-in that it did not begin, and never continues at a foreign address', async () => {
    const { page, close } = await visitor();
    const answer = `code=abc&state=evil&iss=${encodeURIComponent(server.issuer)}`;
    await page.goto(`${server.url}/console/callback?${answer}`);
    await heading(page, 'The sign-in did not finish').waitFor();
    assert.equal(page.url(), `${server.url}/console`);

    await page.goto(`${server.url}/console/people`);
    await page.locator('#username').waitFor();
    // What a script of an extension, or a later mistake of ours, could leave there.
    await page.evaluate(`{
      const [[key, login]] = Object.entries(sessionStorage);
      const stored = { ...JSON.parse(login), returnTo: '//evil.example/console' };
      sessionStorage.setItem(key, JSON.stringify(stored));
    }`);
    await giveLogin(page, 'root');
    await heading(page, 'Overview').waitFor();
    assert.equal(page.url(), `${server.url}/console`);
    await close();
  });

  test('leaves the back button to the page before: it would lead to the sign-in again', async () => {
    await using guest = await visitor();
    const { page } = guest;
    await page.goto(`${server.url}/account`);
    await page.locator('#sign-in').waitFor();
    await page.goto(`${server.url}/console/people`);
    await page.locator('#username').waitFor();
    await page.goBack();
    await page.locator('#sign-in').waitFor();
    assert.equal(page.url(), `${server.url}/account`);
    await page.goForward();
    await giveLogin(page, 'root');
    await heading(page, 'People').waitFor();
  });

  test('is one session in all its tabs', async () => {
    await using guest = await atConsole(server, 'root');
    const second = await guest.context.newPage();
    await second.goto(`${server.url}/console/people`);
    await heading(second, 'People').waitFor();
    await guest.page.locator('#sign-out').click();
    await heading(guest.page, 'You are signed out').waitFor();
    await second.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor();
  });

  test('cannot be framed, runs no foreign or inline script, and stays small until the first screen', async () => {
    const shell = await server.request('GET', '/console/people');
    const policy = String(shell.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'.*script-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.doesNotMatch(shell.text, /<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=/);
    const paths = [...shell.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    const folder = (paths.find((path) => path.endsWith('/main.js')) ?? '').replace('main.js', '');
    const later = new Set<string>();
    let size = 0;
    // With what scripts import before they run. Screens that are opened afterwards are read then.
    for (const path of paths) {
      const answer = await server.request('GET', path, { headers: { 'accept-encoding': 'gzip, br' } });
      assert.equal(answer.status, 200, path);
      const plain = await server.request('GET', path);
      assert.equal(plain.headers['content-encoding'], undefined);
      size += Number(answer.headers['content-length']);
      if (!path.startsWith(folder)) continue;
      const script = plain.text;
      for (const [, name] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
        if (!paths.includes(`${folder}${name}`)) paths.push(`${folder}${name}`);
      }
      for (const [, name] of script.matchAll(/import\("\.\/([\w-]+\.js)"\)/g)) later.add(`${folder}${name}`);
    }
    assert.ok(later.size > 2, 'screens are read when somebody opens them');
    for (const path of later) assert.ok(!paths.includes(path), path);
    assert.ok(paths.length > 3);
    assert.ok(size < 250_000, `${size} bytes`);
  });

  test('lets a person whose session ended sign in in a separate window, and loses nothing', async () => {
    const olgaId = await server.createUser({ name: 'olga', password, isAdmin: true });
    const paulId = await server.createUser({ name: 'paul', password });
    await using guest = await atConsole(server, 'olga', `/console/people/${paulId}`);
    const { page, context } = guest;
    await page.locator('#set-password').click();
    await page.locator('#new-password').fill('nine patient otters');
    assert.equal((await root.call('DELETE', `identities/${olgaId}/api-sessions`)).status, 200);
    await page.locator('#set-password-confirm').click();
    await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor();
    await assertClean(guest);
    const overQuestion = `(({ left, top }) => document.elementFromPoint(left + 1, top + 1).className)(
      document.querySelector('.dialog-title').getBoundingClientRect())`;
    assert.equal(await page.evaluate(overQuestion), 'backdrop');
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#sign-in-again').click(),
    ]);
    await giveLogin(beside, 'olga');
    await announced(page, 'The password is set');
    assert.ok(beside.isClosed());
    assert.equal(page.url(), `${server.url}/console/people/${paulId}`);
  });

  test('shows nothing of the page to another person who signs in', async () => {
    const otherId = await server.createUser({ name: 'other', password, isAdmin: true });
    await using guest = await atConsole(server, 'other', '/console/people');
    const { page, context } = guest;
    await page.getByRole('link', { name: 'other' }).waitFor();
    assert.equal((await root.call('DELETE', `identities/${otherId}/api-sessions`)).status, 200);
    await page.locator('#filter-q').fill('nobody at all');
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#sign-in-again').click(),
    ]);
    await server.createUser({ name: 'plain', password });
    await giveLogin(beside, 'plain');
    await page.getByText('Another person signed in').waitFor();
    await assertClean(guest);
    assert.equal(await page.getByRole('link').filter({ hasText: 'other' }).count(), 0);
    // Everything begins anew: the sign-in comes again.
    await page.locator('#sign-in').click();
    await page.locator('#username').waitFor();
  });

  test('takes a form with changes away when another person signs in', async () => {
    const ownerId = await server.createUser({ name: 'owner', password, isAdmin: true });
    await server.createUser({ name: 'stranger', password });
    await using guest = await atConsole(server, 'owner', '/console/people/new');
    const { page, context } = guest;
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.locator('#field-name').fill('a secret name');
    assert.equal((await root.call('DELETE', `identities/${ownerId}/api-sessions`)).status, 200);
    await page.locator('#save').click();
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#sign-in-again').click(),
    ]);
    await giveLogin(beside, 'stranger');
    await page.getByText('Another person signed in').waitFor();
    await page.locator('#sign-in').click();
    await page.locator('#username').waitFor();
    assert.deepEqual(asked, [], 'they cannot stay on it');
  });

  test('says so when the permission is missing, and offers what each permission allows', async () => {
    await server.createUser({ name: 'nobody', password });
    const nobody = await atConsole(server, 'nobody');
    await heading(nobody.page, 'Not allowed').waitFor();
    await assertClean(nobody);
    await nobody.close();

    const targetId = await server.createUser({ name: 'target', password });
    const offers = async (permission: 'read' | 'helpdesk', buttons: readonly string[]) => {
      const id = await server.createUser({ name: permission, password });
      await root.call('PATCH', `identities/${id}`, { permissions: [permission] });
      await server.createUser({ name: `seen by ${permission}`, password });
      await using guest = await atConsole(server, permission, `/console/people/${targetId}`);
      await guest.page.locator('#answer').waitFor();
      await guest.page.locator('#right').waitFor();
      await assertClean(guest);
      await eventually(
        () => guest.page.locator('section:has(#actions) .buttons > button').allTextContents(),
        (offered) => offered.join() === buttons.join(),
      );
    };
    await offers('read', []);
    await offers('helpdesk', ['Invite']);
  });

  test('keeps a form that is filled in when the person loses the permission for it', async () => {
    const id = await server.createUser({ name: 'deposed', password, isAdmin: true });
    await using guest = await atConsole(server, 'deposed', '/console/policies/new');
    const { page } = guest;
    await page.locator('#field-name').fill('typed before');
    for (const [permissions, said] of [
      [['read'], 'You may read this and change nothing.'],
      noRight,
    ] as const) {
      await losesRight(page, { id, permissions, said });
      assert.equal(await page.locator('#field-name').inputValue(), 'typed before');
    }
    await page.locator('#save').click();
    await page.getByRole('alert').getByText('Not allowed').waitFor();
    await root.call('PATCH', `identities/${id}`, { isAdmin: true });
    await page.locator('#save').click();
    await page.locator('#save-confirm').click();
    await heading(page, 'typed before').waitFor();
  });

  test('keeps a question that is answered when the person loses the permission for it', async () => {
    const id = await server.createUser({ name: 'dethroned', password, isAdmin: true });
    const other = await server.createUser({ name: 'subject', password });
    await using guest = await atConsole(server, 'dethroned', `/console/people/${other}`);
    const { page } = guest;
    await page.locator('#set-password').click();
    await page.locator('#new-password').fill('typed before');
    for (const [permissions, said] of [
      [['helpdesk'], 'You may help people sign in again'],
      noRight,
    ] as const) {
      await losesRight(page, { id, permissions, said });
      assert.equal(await page.locator('#new-password').inputValue(), 'typed before');
    }
    await page.locator('#set-password-confirm').click();
    await page.getByRole('alert').getByText('Not allowed').waitFor();
  });

  test('says so when the server is busy or cannot be reached, and continues with a button', async () => {
    await using guest = await admin.at('/console/people');
    const { page, context } = guest;
    await page.getByRole('link', { name: 'root' }).waitFor();
    const { identities } = server.store;
    const { list } = identities;
    Object.assign(identities, { list: () => Promise.reject(new StoreUnavailable('the connection is lost')) });
    try {
      await page.locator('#filter-state').selectOption('enabled');
      await page.getByText('cannot answer at the moment').waitFor();
      await assertClean(guest);
    } finally {
      Object.assign(identities, { list });
    }
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'root' }).waitFor();

    await context.setOffline(true);
    await page.locator('#offline').waitFor();
    await page.locator('#filter-state').selectOption('disabled');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await assertClean(guest);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No person matches').waitFor();
    assert.equal(await page.locator('#offline').count(), 0);
  });

  test('has its menu in the window of a telephone whose text is twice as large', async () => {
    await using guest = await admin.at('/console');
    const { page } = guest;
    await page.setViewportSize(phone);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    const menu = await page.locator('.menu').boundingBox();
    await page.evaluate("document.documentElement.style.fontSize = ''");
    assert.ok(menu !== null && menu.x >= 0 && menu.x + menu.width <= phone.width, JSON.stringify(menu));
  });

  test('a field that was refused has another edge', async () => {
    await using guest = await admin.at('/console/people/new');
    const { page } = guest;
    await page.locator('#field-name').fill('root');
    await page.locator('#save').click();
    await page.locator('#field-name-problem').waitFor();
    const edgeOf = (id: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('#field-${id}')).borderTopColor`);
    assert.notEqual(await edgeOf('name'), await edgeOf('externalId'));
    await page.locator('#field-name').fill('');
    await go(page, '/nodes');
  });

  test('works with the keyboard alone', async () => {
    await using guest = await admin.at('/console');
    const { page } = guest;
    await heading(page, 'Overview').waitFor();
    assert.equal(await page.evaluate('document.querySelector("a, button, input").className'), 'skip');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.locator('nav a[href="/console/people"]').focus();
    await page.keyboard.press('Enter');
    await heading(page, 'People').waitFor();
    await page.locator('tbody a').first().focus();
    const focused = () => page.evaluate('document.activeElement.textContent');
    const first = await focused();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await focused(), first);
    await page.keyboard.press('Home');
    assert.equal(await focused(), first);
    await page.keyboard.press('Enter');
    await heading(page, String(first)).waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    await page.locator('#disable').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.id'), 'disable');
  });
});

interface Described {
  readonly paths: Readonly<Record<string, object>>;
}

/** The calls of a visitor that no document declares. */
function undeclaredCalls({ page }: Visitor, { paths }: Described): readonly string[] {
  const undeclared: string[] = [];
  const patterns = Object.entries(paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(operations),
  }));
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/edge/')) return;
    const method = request.method().toLowerCase();
    const isDeclared = patterns.some(
      ({ pattern, methods }) => pattern.test(pathname) && methods.includes(method),
    );
    if (!isDeclared) undeclared.push(`${method} ${pathname}`);
  });
  return undeclared;
}

describe('every screen', () => {
  const screens = [
    ...['', '/people', '/attempts', '/what-if', '/sessions', '/enrollments', '/policies', '/permissions'],
    ...['/nodes', '/certificates', '/audit', '/signers', '/cas', '/clients'],
  ].map((path) => `/console${path}`);

  /** The windows that each screen is shown in; the menu is used in the last. german.test.ts has the narrow one. */
  const looks = [
    { name: 'wide', viewport: wide, colorScheme: 'light' },
    { name: 'dark at 200 % zoom', viewport: { width: 640, height: 400 }, colorScheme: 'dark' },
  ] as const;
  test(`is clean ${looks.map(({ name }) => name).join(', ')}, and calls only what is declared`, async () => {
    const { json: described } = await server.request('GET', '/edge/management/v1/openapi.json');
    await using guest = await atConsole(server, 'root');
    const undeclared = undeclaredCalls(guest, described);
    const { page } = guest;
    for (const path of screens) {
      const link = page.locator(`nav a[href="${path}"], nav a[href="${path}/"]`);
      if (!(await link.isVisible())) await page.locator('.menu').click();
      await link.click();
      await page.locator('h1').waitFor();
      for (const { name, viewport, colorScheme } of looks) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await assertClean(guest);
        await screenshot(page, `console-${path.split('/').at(-1)}-${name.split(' ').at(-1)}`);
        if (name !== 'wide') continue;
        const way = await page.locator('#sign-out').boundingBox();
        assert.ok(way !== null && way.y + way.height <= wide.height, 'the way out is seen without scrolling');
      }
    }
    assert.deepEqual(undeclared, []);
  });
});
