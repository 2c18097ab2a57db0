// The account page in a real browser, against a real controller.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, type Visitor, type VisitorOptions, visitor, wide } from '../support/browser.ts';
import { createPolicy, createUserWithPolicy } from '../support/external-jwt.ts';
import { listOf } from '../support/list-budget.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { createSignerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestServer } from '../support/test-server.ts';
import { type AuthenticatorApp, scan } from '../support/totp.ts';
import { held } from './console-support.ts';
import { ownClock, signInAtProvider } from './support.ts';

const newPassword = 'eleven loud umbrellas';
const server = await startTestServer();
after(() => server.close());

let loggedInRoot: Promise<Caller> | undefined;
function root(): Promise<Caller> {
  loggedInRoot ??= rootOf(server);
  return loggedInRoot;
}

/** A person at the account page, signed out. */
async function atAccount(options: VisitorOptions = {}): Promise<Visitor> {
  const guest = await visitor(options);
  await guest.page.goto(`${server.url}/account`);
  return guest;
}

async function signIn(page: Page, username: string, secret = password): Promise<void> {
  await page.locator('#sign-in').click();
  await page
    .locator('.lead', { hasText: /^(?:to continue to your account|weiter zu Ihrem Konto)$/ })
    .waitFor();
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(secret);
  await page.locator('#login').click();
}

/** A new person who is signed in to the account page. */
async function signedIn(name: string, options: VisitorOptions = {}): Promise<Visitor> {
  await server.createUser({ name, password });
  const guest = await atAccount(options);
  await signIn(guest.page, name);
  await guest.page.locator('#sign-out').waitFor();
  return guest;
}

const announced = (page: Page, text: string | RegExp) =>
  page.locator('#status').filter({ hasText: text }).waitFor();

async function changePassword(page: Page, current: string, next: string, repeated = next): Promise<void> {
  await page.locator('#current-password').fill(current);
  await page.locator('#new-password').fill(next);
  await page.locator('#repeat-password').fill(repeated);
  await page.locator('#change-password-submit').click();
}

type Part = 'sign-in' | 'app' | 'sessions' | 'attempts' | 'language';

/** Goes to a part of the account, and waits until what it shows is there. */
async function goTo(page: Page, part: Part): Promise<void> {
  await page.locator(`nav a[href="#${part}"]`).click();
  await page.locator(`nav a[href="#${part}"][aria-current=page]`).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

async function setUpApp(page: Page): Promise<{ app: AuthenticatorApp; codes: readonly string[] }> {
  await goTo(page, 'app');
  await page.locator('#set-up-app-submit').click();
  const url = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  const app = scan(systemClock, url ?? '');
  const codes = await page.locator('#recovery-codes code').allTextContents();
  return { app, codes };
}

/** Copies the recovery codes, where the browser refuses and where it does not, and looks at what would be printed. */
async function keepCodes(page: Page, account: string): Promise<void> {
  const copy = page.locator('#copy-codes');
  await page.context().grantPermissions(['geolocation']);
  await copy.click();
  await page.getByText('Select the text and copy it').waitFor();
  await page.context().grantPermissions(['clipboard-write']);
  await copy.click();
  await copy.filter({ hasText: /^Copied$/ }).waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('#recovery-codes').isVisible(), true);
  const owner = `Recovery codes for ${account} at Overlay (${new URL(server.url).host})`;
  assert.equal(await page.locator('.printed').getByText(owner).isVisible(), true, 'on paper');
  const file = (await page.locator('#download-codes').getAttribute('href')) ?? '';
  assert.ok(decodeURIComponent(file).includes(owner), 'in the file');
  assert.equal(await page.locator('h1, nav, #secret, #copy-codes').filter({ visible: true }).count(), 0);
  await page.emulateMedia({ media: 'screen' });
}

async function confirmApp(page: Page, app: AuthenticatorApp): Promise<void> {
  await page.locator('#app-saved').check();
  await page.locator('#app-code').fill(app.code());
  await page.locator('#confirm-app-submit').click();
  await announced(page, /The app is set up|Die App ist eingerichtet/);
}

/** Looks at the page with axe, at its width in both directions of writing, and at what it complained of. */
async function assertClean({ page, complaints }: Visitor, what = 'as it is'): Promise<void> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  assert.deepEqual(await accessibilityProblems(page), [], what);
  assert.deepEqual(await page.evaluate(sticksOut), [], what);
  assert.deepEqual(await page.evaluate(brokenHeadings), [], what);
  await page.evaluate("document.documentElement.dir = 'rtl'");
  assert.deepEqual(await page.evaluate(sticksOut), [], `${what}, from right to left`);
  assert.deepEqual(await accessibilityProblems(page), [], `${what}, from right to left`);
  await page.evaluate("document.documentElement.dir = 'ltr'");
  const ours = complaints.filter((complaint) => !/status of 4\d\d/.test(complaint));
  assert.deepEqual(ours, []);
}

/** What is wider than the window, on either side; fields that only password managers see are not shown. */
const sticksOut = `[...document.querySelectorAll('main, main *')]
  .filter((element) => element.checkVisibility() && !element.matches('.hidden-text'))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < 0 || right > document.documentElement.clientWidth + 0.5;
  })
  .map((element) => element.outerHTML.slice(0, 80))
  .concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page scrolls'] : [])`;

/** Words of headings that end a line where the text does not say that they may be divided. */
const brokenHeadings = `[...document.querySelectorAll('h1, h2')].flatMap((heading) => {
  const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\u00ad]+/gu)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1 && !word.includes('\\u00ad')) found.push(word);
    }
  }
  return found;
})`;

test('signs in and out as a client of the provider, without a token in any address', async () => {
  await using guest = await atAccount();
  const { page } = guest;
  const addresses: string[] = [];
  page.on('request', (request) => void addresses.push(request.url()));
  await server.createUser({ name: 'alice', password });
  await signIn(page, 'alice');
  await page.getByText('alice', { exact: true }).waitFor();
  assert.equal(page.url(), `${server.url}/account`);
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  const stores = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])';
  assert.doesNotMatch(await page.evaluate(stores), /eyJ|token/i);

  await page.reload();
  await page.locator('#sign-out').waitFor();
  await page.locator('#sign-out').click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  assert.equal(page.url(), `${server.url}/account/signed-out`);
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  assert.deepEqual(await page.evaluate('Object.keys(sessionStorage)'), []);
  assert.ok(addresses.every((address) => !/eyJ[\w-]+\.eyJ|refresh_token|id_token/.test(address)));
  assert.equal(
    (await server.store.apiSessions.list(listOf({ op: 'true' }), systemClock.now())).totalCount,
    0,
  );
});

test('leads to the console those who may use it', async () => {
  const id = await server.createUser({ name: 'helper', password });
  const { page, close } = await atAccount();
  await signIn(page, 'helper');
  await page.getByText('helper', { exact: true }).waitFor();
  assert.equal(await page.locator('#to-console').count(), 0);
  await (await root()).call('PATCH', `identities/${id}`, { permissions: ['helpdesk'] });
  await page.reload();
  await page.locator('#to-console').click();
  await page.waitForURL(`${server.url}/console`);
  await close();
});

test('accepts no answer to a login that it did not begin', async () => {
  const { page, close } = await visitor();
  await page.goto(
    `${server.url}/account/callback?code=abc&state=evil&iss=${encodeURIComponent(server.issuer)}`,
  );
  await page.getByText('did not finish').waitFor();
  assert.equal(page.url(), `${server.url}/account`);
  await page.goto(`${server.url}/account/callback?error=access_denied&state=evil`);
  await page.getByText('did not finish').waitFor();
  await close();
});

test('says that cookies must be allowed, not that the server is away, where the browser keeps nothing', async () => {
  for (const path of ['/account', '/console']) {
    await using guest = await visitor();
    const { page } = guest;
    await page.addInitScript(refuseStorage);
    await page.goto(server.url + path);
    await page.getByRole('alert').getByText('Allow cookies').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  }
});

/** As a browser whose person has blocked the cookies and other data of the site. */
const refuseStorage = `for (const name of ['sessionStorage', 'localStorage', 'indexedDB']) {
  Object.defineProperty(globalThis, name, {
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  });
}`;

test('changes the password by the rules of the server, and ends the other sessions', async () => {
  await using guest = await signedIn('bella');
  const { page } = guest;
  const other = await loggedIn(server, 'bella');
  await page.getByText('at least 12 characters').waitFor();

  await page.getByRole('button', { name: 'Show password' }).nth(1).click();
  assert.equal(await page.locator('#new-password').getAttribute('type'), 'text');
  const pressed = 'new KeyboardEvent("keydown", { key: "A", modifierCapsLock: true, bubbles: true })';
  await page.evaluate(`document.getElementById('current-password').dispatchEvent(${pressed})`);
  await page.getByRole('status').getByText('Caps Lock is on').waitFor();
  await changePassword(page, password, newPassword, 'something else entirely');
  await page.locator('#new-password[type=password]').waitFor();
  await page.getByRole('alert').getByText('differ').waitFor();
  await changePassword(page, password, 'short');
  await page.getByRole('alert').getByText('at least 12 characters').waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'new-password');
  assert.equal(await page.locator('#new-password').getAttribute('aria-invalid'), 'true');
  await assertClean(guest);
  await changePassword(page, password, 'bella-bella-b');
  await page.getByRole('alert').getByText('not a common password').waitFor();
  await changePassword(page, 'not the password', newPassword);
  await page.getByRole('alert').getByText('current password is not right').waitFor();
  assert.equal((await other.get('current-identity')).status, 200);

  await changePassword(page, password, newPassword);
  await announced(page, 'Your password is changed');
  assertRefused(await other.get('current-identity'), 401, 'UNAUTHORIZED');
  assert.equal(await page.locator('#current-password').inputValue(), '');
  await page.reload();
  await page.locator('#sign-out').waitFor();
});

test('sets up an app, asks for it at the next login, renews the recovery codes and removes it', async () => {
  await using guest = await signedIn('clara');
  const { page } = guest;
  const { app, codes } = await setUpApp(page);
  assert.equal(codes.length, 20);
  await keepCodes(page, 'clara');
  assert.ok(await page.evaluate('document.querySelector("img.qr").decode().then(() => true)'));
  await page.locator('#app-saved').check();
  await page.locator('#app-code').fill(app.wrongCode());
  await page.locator('#confirm-app-submit').click();
  await page.getByRole('alert').getByText('code is not right').waitFor();
  await assertClean(guest);
  await confirmApp(page, app);
  await page.getByText('20 recovery codes are left').waitFor();

  await page.locator('#sign-out').click();
  await signIn(page, 'clara');
  await page.locator('#code').fill(app.code(1));
  await page.locator('#submit-code').click();
  await page.locator('#sign-out').waitFor();

  await goTo(page, 'app');
  await page.locator('#fold-new-codes summary').click();
  await page.locator('#new-codes-code').fill(codes[0] ?? '');
  await page.locator('#new-codes-submit').click();
  await announced(page, 'new recovery codes');
  const renewed = await page.locator('#recovery-codes code').allTextContents();
  assert.equal(renewed.length, 20);
  assert.equal(renewed.filter((code) => codes.includes(code)).length, 0);
  await assertClean(guest);
  await page.locator('#codes-saved-box').check();
  await page.locator('#codes-saved-submit').click();

  await page.locator('#fold-remove-app summary').click();
  await page.locator('#remove-app-code').fill(codes[1] ?? '');
  await page.locator('#remove-app-submit').click();
  await page.getByRole('alert').getByText('code is not right').waitFor();
  await page.locator('#remove-app-code').fill(renewed[0] ?? '');
  await page.locator('#remove-app-submit').click();
  await announced(page, 'The app is removed');
  await page.locator('#set-up-app-submit').waitFor();
});

test('sets up another app with a recovery code, and the first one stops working', async () => {
  await using guest = await signedIn('nora');
  const { page } = guest;
  const { app, codes } = await setUpApp(page);
  await confirmApp(page, app);
  await page.locator('#fold-another-app summary').click();
  await assertClean(guest);
  await page.locator('#another-app-code').fill(codes[3] ?? '');
  await page.locator('#another-app-submit').click();
  await page.locator('#secret').waitFor();
  const url = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  const other = scan(systemClock, url ?? '');
  assert.notEqual(other.secret, app.secret);
  await confirmApp(page, other);
  await page.getByText('20 recovery codes are left').waitFor();
  await page.locator('#sign-out').click();
  await signIn(page, 'nora');
  await page.locator('#code').fill(app.code(1));
  await page.locator('#submit-code').click();
  await page.getByRole('alert').getByText('That code was not accepted').waitFor();
  await page.locator('#code').fill(other.code(1));
  await page.locator('#submit-code').click();
  await page.locator('#sign-out').waitFor();
});

test('says that the first app is gone when another one could not be begun, and goes on from there', async () => {
  await using guest = await signedIn('otto');
  const { page } = guest;
  const { app, codes } = await setUpApp(page);
  await confirmApp(page, app);
  await page.locator('#fold-another-app summary').click();
  await page.locator('#another-app-code').fill(codes[0] ?? '');
  await page.route('**/current-identity/mfa', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.locator('#another-app-submit').click();
  await announced(page, /The app is removed\..+could not be reached/);
  await page.getByText(/^Off\./).waitFor();
  await page.unroute('**/current-identity/mfa');
  await page.locator('#set-up-app-submit').click();
  await page.locator('#secret').waitFor();
});

test('shows how things are where the answer to a change was lost and the change is sent again', async () => {
  await using guest = await signedIn('lotta');
  const { page } = guest;
  /** Sends a change whose answer is lost, and sends it again. */
  const twice = async (address: string, button: string) => {
    await page.route(address, async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.locator(button).click();
    await page.getByRole('alert').getByText('could not be reached').waitFor();
    await page.unroute(address);
    await page.locator(button).click();
    await announced(page, 'has changed meanwhile');
  };
  await goTo(page, 'app');
  await twice('**/current-identity/mfa', '#set-up-app-submit');
  const url = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  const code = await page.locator('#recovery-codes code').first().innerText();
  await page.locator('#app-saved').check();
  await page.locator('#app-code').fill(scan(systemClock, url ?? '').code());
  await twice('**/current-identity/mfa/verify', '#confirm-app-submit');
  await page.getByText('20 recovery codes are left').waitFor();

  await page.locator('#fold-remove-app summary').click();
  await page.locator('#remove-app-code').fill(code);
  await twice('**/current-identity/mfa', '#remove-app-submit');
  await page.getByText(/^Off\./).waitFor();
});

test('shows new recovery codes also to a person who left the part before they came', async () => {
  await using guest = await signedIn('nils');
  const { page } = guest;
  const { app, codes } = await setUpApp(page);
  await confirmApp(page, app);
  await page.locator('#fold-new-codes summary').click();
  await page.locator('#new-codes-code').fill(codes[0] ?? '');
  const renewal = await held(page, '**/current-identity/mfa/recovery-codes');
  await page.locator('#new-codes-submit').click();
  await renewal.asked;
  await goTo(page, 'sessions');
  await renewal.release();
  await announced(page, 'new recovery codes');
  await goTo(page, 'app');
  await page.locator('#recovery-codes').waitFor();
  await goTo(page, 'sessions');
  await goTo(page, 'app');
  assert.equal(await page.locator('#recovery-codes code').count(), 20);
  await page.locator('#codes-saved-box').check();
  await page.locator('#codes-saved-submit').click();
  await page.getByText('20 recovery codes are left').waitFor();
});

test('cancels a set-up, and continues one that was left', async () => {
  await using guest = await signedIn('dana');
  const { page } = guest;
  const { app } = await setUpApp(page);
  await page.reload();
  await page.locator('#secret').waitFor();
  assert.equal((await page.locator('#secret').innerText()).replaceAll(' ', ''), app.secret);
  await page.context().setOffline(true);
  await page.locator('#cancel-app').click();
  await announced(page, 'could not be reached');
  await page.context().setOffline(false);
  await page.locator('#cancel-app').dblclick();
  await page.locator('#set-up-app-submit').waitFor();
});

test('asks for the password or a new sign-in before the app is added or removed some time after the sign-in', async () => {
  let shift = 0;
  const clock = {
    now: () => systemClock.now() + shift,
    monotonic: () => systemClock.monotonic() + shift,
    waitUntil: (at: number) => systemClock.waitUntil(at - shift),
  };
  await using later = await startTestServer({ clock });
  await using guest = await visitor();
  const { page } = guest;
  const setAhead = await ownClock(page);
  await later.createUser({ name: 'fred', password });
  await page.goto(`${later.url}/account`);
  await signIn(page, 'fred');
  await page.locator('#sign-out').waitFor();
  await goTo(page, 'app');
  shift += 6 * MINUTE;
  await setAhead(shift);

  await page.locator('#set-up-app-submit').click();
  await page.locator('main').getByText('You signed in some time ago').waitFor();
  // It is above the button that was pressed, where the tabulator would not reach it.
  await page.locator('#proof-password:focus').waitFor();
  await assertClean(guest);
  await page.locator('#proof-password').fill('wrong');
  await page.locator('#set-up-app-submit').click();
  await page.getByRole('alert').getByText('current password is not right').waitFor();
  await page.locator('#proof-password').fill(password);
  await page.locator('#set-up-app-submit').click();
  const url = await page.locator('a[href^="otpauth:"]').getAttribute('href');
  const app = scan(clock, url ?? '');
  await confirmApp(page, app);

  shift += MINUTE;
  await setAhead(shift);
  await page.locator('#fold-remove-app summary').click();
  await page.locator('#remove-app-code').fill(app.code());
  await page.locator('#remove-app-submit').click();
  await page.locator('#proof-password').waitFor();
  await assertClean(guest);
  await page.locator('#proof-password').fill(password);
  await page.locator('#remove-app-submit').click();
  await announced(page, 'The app is removed');
  await page.locator('#sign-out').waitFor();
});

test('ends one session, all others, and notices when its own is ended', async () => {
  await using guest = await signedIn('elsa');
  const { page } = guest;
  await goTo(page, 'sessions');
  await page.getByText('signed in nowhere else').waitFor();
  const card = await page.locator('.cards .card').first().innerText();
  assert.match(card, /^This session\s+Chrome on Linux\s+Account page/);
  assert.match(card, /Signed in .+ from 127\.0\.0\.1 \(password\)/i);
  assert.match(card, /Last used .+ from 127\.0\.0\.1\. Expires /);
  const programs = await page.locator('section:has(#programs) .card').first().innerText();
  assert.match(programs, /^Chrome on Linux\s+Account page.+\s+First used .+, last .+ from 127\.0\.0\.1\./);
  const others = [
    await loggedIn(server, 'elsa'),
    await loggedIn(server, 'elsa'),
    await loggedIn(server, 'elsa'),
  ];
  await page.reload();
  await page.getByRole('button', { name: 'End this session' }).first().click();
  await announced(page, 'The session is ended');
  const alive = async () => {
    const answers = await Promise.all(others.map((other) => other.get('current-identity')));
    return answers.filter(({ status }) => status === 200).length;
  };
  assert.equal(await alive(), 2);
  await page.locator('#end-others').click();
  await announced(page, '2 sessions are ended');
  assert.equal(await alive(), 0);
  await goTo(page, 'app');

  const elsewhere = await loggedIn(server, 'elsa');
  await elsewhere.call('DELETE', '/edge/client/v1/current-identity/api-sessions');
  await page.locator('#set-up-app-submit').click();
  await page.getByText('the session has ended').waitFor();
  await page.locator('#sign-in-again').waitFor();
  assert.deepEqual(await page.evaluate('Object.keys(sessionStorage)'), []);
});

for (const language of ['en', 'de']) {
  test(`a session that ends while a password is changed loses nothing that was typed (${language})`, async () => {
    const name = `flora ${language}`;
    await using guest = await signedIn(name, { language, viewport: narrow });
    const { page, context } = guest;
    await page.locator('#current-password').waitFor();
    const elsewhere = await loggedIn(server, name);
    await elsewhere.call('DELETE', '/edge/client/v1/current-identity/api-sessions');
    await changePassword(page, password, newPassword);
    const ended = page.getByRole('alertdialog');
    await ended.getByText(/it has changed nothing yet|noch nichts geändert/).waitFor();
    await assertClean(guest);
    await screenshot(page, `account session ended ${language}`);
    // A browser that opens no window leaves the way by this page.
    await page.evaluate('globalThis.opens = open; globalThis.open = () => null');
    await page.locator('#sign-in-again').click();
    await page.locator('#sign-in-here').waitFor();
    await page.evaluate('open = opens');
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#sign-in-again').press('Enter'),
    ]);
    await beside.locator('#username').fill(name);
    await beside.locator('#password').fill(password);
    await beside.locator('#login').click();
    await announced(page, /Your password is changed|Ihr Passwort ist geändert/);
    await ended.waitFor({ state: 'detached' });
    assert.ok(beside.isClosed());
    await loggedIn(server, name, newPassword);
  });
}

test('shows nothing of the account to another person who signs in after its session has ended', async () => {
  await using guest = await signedIn('gerda');
  const { page, context } = guest;
  await page.locator('#current-password').fill('typed by gerda');
  const elsewhere = await loggedIn(server, 'gerda');
  await elsewhere.call('DELETE', '/edge/client/v1/current-identity/api-sessions');
  await page.locator('nav a[href="#sessions"]').click();
  const [beside] = await Promise.all([context.waitForEvent('page'), page.locator('#sign-in-again').click()]);
  await server.createUser({ name: 'gustav', password });
  await beside.locator('#username').fill('gustav');
  await beside.locator('#password').fill(password);
  await beside.locator('#login').click();
  await page.getByText('Another person signed in').waitFor();
  await assertClean(guest);
  assert.doesNotMatch(await page.content(), /gerda/);
});

test('saves nothing of one tab to the account of another person who signs in in another tab', async () => {
  await using guest = await signedIn('berta');
  const { page, context } = guest;
  await page.locator('#current-password').fill(password);
  await page.locator('#new-password').fill(newPassword);
  await page.locator('#repeat-password').fill(newPassword);
  const other = await context.newPage();
  await other.goto(`${server.url}/account`);
  await other.locator('#sign-out').click();
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await server.createUser({ name: 'anton', password });
  await signIn(other, 'anton');
  await other.locator('#sign-out').waitFor();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  assert.equal(await page.locator('#new-password').count(), 0);
  for (const name of ['anton', 'berta']) await loggedIn(server, name);
});

test('says so when the policy requires a token that no page can send', async () => {
  await using provider = await startOpenIdProvider();
  const requireExtJwt = await createSignerOf(provider, server, await root());
  const policy = await createPolicy(server, 'two tokens', { secondary: { requireExtJwt } });
  const ines = await createUserWithPolicy(server, 'ines', policy);
  await server.store.identities.update(ines, { externalId: 'ines' }, server.clock.now());
  await using guest = await atAccount();
  const { page } = guest;
  await signIn(page, 'ines');
  await page.locator('#second-provider').click();
  await signInAtProvider(provider, page, 'ines');
  await page.locator('#second-token').waitFor();
  assert.match(await page.title(), /^Not from a browser · /);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, 'account second token');
  await page.locator('#sign-out').click();
  await page.locator('#sign-in').waitFor();
});

test('says what to do when the policy starts to require another token while the person is signed in', async () => {
  await using provider = await startOpenIdProvider();
  const requireExtJwt = await createSignerOf(provider, server, await root(), 'Later ID');
  const press = (page: Page) => page.locator('#set-up-app-submit').click();
  const submit = (page: Page) => changePassword(page, password, newPassword);
  const reload = (page: Page) => page.reload();
  for (const [name, act] of Object.entries({ press, submit, reload })) {
    await using guest = await signedIn(name);
    const { page } = guest;
    await goTo(page, act === press ? 'app' : 'sign-in');
    const id = (await server.store.authenticators.findPasswordLogin(userNamed(name).usernameKey))?.identity
      .id;
    assert.ok(id);
    const authPolicyId = await createPolicy(server, `later ${name}`, { secondary: { requireExtJwt } });
    await server.store.identities.update(id, { authPolicyId, externalId: name }, server.clock.now());
    await act(page);
    await page.locator('#second-token').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    assert.match(await page.locator('#second-token code').innerText(), /^[0-9A-Z]{10}$/);
    assert.equal(await page.locator('#change-password').count(), 0, 'nothing is offered that cannot work');
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.locator('#sign-out').click();
    await page.locator('#sign-in').waitFor();
  }
});

test('shows who tried the account, with the reference for an administrator', async () => {
  await server.createUser({ name: 'fleur', password });
  for (let count = 0; count < 11; count += 1) {
    await assert.rejects(loggedIn(server, 'fleur', count < 2 ? 'wrong' : 'wrong'.repeat(0)));
  }
  await server.store.attempts.clear(
    [
      (await server.store.authenticators.findPasswordLogin(userNamed('fleur').usernameKey))?.authenticator.id,
    ].map((id) => `password:${id}`),
  );
  await using guest = await atAccount();
  const { page } = guest;
  await signIn(page, 'fleur');
  await page.locator('#sign-out').waitFor();
  await goTo(page, 'attempts');
  const items = page.locator('#attempts-list li');
  await items.first().getByText('Succeeded').waitFor();
  assert.equal(await items.count(), 10);
  assert.match(await items.nth(1).innerText(), /Refused\s+password, .+ from .*127\.0\.0\.1\s+Reference: \w+/);
  await page.locator('#more-attempts').click();
  await items.nth(11).waitFor();
  assert.equal(await items.count(), 12);
  await page.locator('#more-attempts').waitFor({ state: 'hidden' });
});

interface Look extends Required<Pick<VisitorOptions, 'colorScheme' | 'viewport'>> {
  readonly name: string;
}

/** Shows a page in each window in turn, and leaves it in the last. */
async function inEach(
  page: Page,
  looks: readonly Look[],
  check: (name: string) => Promise<void>,
): Promise<void> {
  for (const { name, colorScheme, viewport } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await check(name);
  }
}

describe('while the server cannot be reached or cannot answer', () => {
  const windows: Readonly<Record<string, readonly Look[]>> = {
    en: [
      { name: 'light', colorScheme: 'light', viewport: wide },
      { name: 'dark and narrow', colorScheme: 'dark', viewport: narrow },
    ],
    'de-AT': [{ name: 'in German, narrow', colorScheme: 'light', viewport: narrow }],
  };
  for (const [language, looks] of Object.entries(windows)) {
    test(`it says so and continues afterwards: ${looks.map(({ name }) => name).join(', ')}`, async () => {
      await using guest = await signedIn(`nora ${language}`, { language });
      const { page } = guest;
      const assertAccessible = (state: string) =>
        inEach(page, looks, async (name) => {
          assert.deepEqual(await accessibilityProblems(page), [], name);
          await screenshot(page, `account ${state} ${name}`);
        });
      await goTo(page, 'app');
      await page.context().setOffline(true);
      await page.locator('#set-up-app-submit').click();
      const alert = page.getByRole('alert').filter({ hasText: /could not be reached|nicht erreichbar/ });
      await alert.waitFor();
      await assertAccessible('unreachable');
      await page.context().setOffline(false);
      await page.locator('#set-up-app-submit').click();
      await page.locator('#secret').waitFor();
      assert.equal(await alert.count(), 0);

      // The document comes, the calls behind it do not.
      await page.route('**/.well-known/**', (route) => route.abort());
      await page.reload();
      await page.locator('#retry').waitFor();
      assert.match(await page.title(), /^(Error|Fehler): /);
      await assertAccessible('not loaded');
      await page.unroute('**/.well-known/**');
      await page.locator('#retry').click();
      await page.locator('#sign-out').waitFor();
      await goTo(page, 'sign-in');
      await page.locator('#current-password').waitFor();

      await page.route('**/edge/**', (route) =>
        route.fulfill({
          status: 500,
          contentType: 'text/html',
          body: '<h1>The proxy has lost its mind</h1>',
        }),
      );
      await changePassword(page, password, newPassword);
      await alert.waitFor();
      await page.unroute('**/edge/**');

      await page.route('**/edge/**', (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/json',
          body: JSON.stringify({ error: { code: 'UNAVAILABLE', message: 'later', requestId: 'R3F3R3NC35' } }),
        }),
      );
      await changePassword(page, password, newPassword);
      await page.getByRole('alert').filter({ hasText: 'R3F3R3NC35' }).waitFor();
      assert.match(
        await page.getByRole('alert').filter({ hasText: 'R3F3R3NC35' }).innerText(),
        /cannot answer at the moment|kann gerade nicht antworten/,
      );
      await assertAccessible('unavailable');
      await page.unroute('**/edge/**');
      await changePassword(page, password, newPassword);
      await announced(page, /Your password is changed|Ihr Passwort ist geändert/);
    });
  }
});

describe('every state is accessible', () => {
  /** The windows that each state is shown in; a visitor who goes from state to state has the last. */
  const windows: Readonly<Record<string, readonly Look[]>> = {
    en: [
      { name: 'light', colorScheme: 'light', viewport: wide },
      { name: 'dark', colorScheme: 'dark', viewport: wide },
      { name: 'dark and narrow', colorScheme: 'dark', viewport: narrow },
      { name: 'light and narrow', colorScheme: 'light', viewport: narrow },
    ],
    'de-AT': [
      { name: 'in German, at 200 % zoom', colorScheme: 'light', viewport: { width: 640, height: 400 } },
      { name: 'in German, narrow', colorScheme: 'light', viewport: narrow },
    ],
  };
  for (const [language, looks] of Object.entries(windows)) {
    test(looks.map(({ name }) => name).join(', '), async () => {
      await using guest = await atAccount({ language });
      const { page } = guest;
      const assertCleanAs = (state: string) =>
        inEach(page, looks, async (name) => {
          await assertClean(guest, `${state}, ${name}`);
          await screenshot(page, `account ${state} ${name}`);
        });
      await page.locator('#sign-in').waitFor();
      await assertCleanAs('signed out');
      const who = `gerda ${language}`;
      await server.createUser({ name: who, password });
      const sdkInfo = { appId: `<img/src=x>${'W'.repeat(99)}` };
      const json = { username: who, password, sdkInfo };
      assert.equal((await server.post('/edge/client/v1/authenticate?method=password', { json })).status, 200);
      await signIn(page, who);
      await page.locator('#sign-out').waitFor();
      await goTo(page, 'sessions');
      await page.getByText('<img/src=x>WWW').first().waitFor();
      for (const part of ['attempts', 'sessions', 'language', 'sign-in'] as const) {
        await goTo(page, part);
        await assertCleanAs(part);
      }
      const { app } = await setUpApp(page);
      await page.locator('#secret').waitFor();
      await assertCleanAs('set-up');
      await confirmApp(page, app);
      await page.locator('#fold-new-codes summary').click();
      await page.locator('#fold-remove-app summary').click();
      await assertCleanAs('app');
    });
  }

  test('by keyboard alone', async () => {
    await using guest = await atAccount();
    const { page } = guest;
    await server.createUser({ name: 'hedda', password });
    await page.locator('#sign-in').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#username').focus();
    await page.keyboard.type('hedda');
    await page.locator('#password').focus();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.locator('#sign-out').waitFor();
    await page.locator('#current-password').waitFor();
    for (const id of ['current-password', 'new-password', 'repeat-password']) {
      await tabTo(page, id);
      await page.keyboard.type('x');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      assert.equal(await page.locator(`#${id}`).getAttribute('type'), 'text');
      assert.equal(await page.locator(':focus').getAttribute('aria-pressed'), 'true');
    }
    const reached = await reachedByTab(page);
    for (const id of ['sign-out', 'current-password', 'new-password', 'change-password-submit']) {
      assert.ok(reached.has(id), id);
    }
    await page.locator('nav a[href="#app"]').focus();
    await page.keyboard.press('Enter');
    await page.locator('#set-up-app-submit').waitFor();
    // A person who opened a part is at its heading, and the next press reaches what is in it.
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.id'), 'set-up-app-submit');
  });

  test('in German', async () => {
    await using guest = await signedIn('ilse', { language: 'de-AT' });
    const { page } = guest;
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await page.getByText('Wo Sie angemeldet sind').waitFor();
    await assertClean(guest);
    await goTo(page, 'language');
    await page.locator('#language').selectOption('en');
    await page.locator('#change-language-submit').click();
    await page.getByRole('heading', { name: 'Language' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    assert.equal(await page.locator('#language').inputValue(), 'en');
    await page.goto(`${server.url}/console`);
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    await page.goto(`${server.url}/account#language`);
    await page.locator('#language').selectOption('browser');
    await page.locator('#change-language-submit').click();
    await page.getByRole('heading', { name: 'Sprache' }).waitFor();
  });

  test('and without scripts it says what to do', async () => {
    await using guest = await atAccount({ scripts: false });
    assert.match(await guest.page.locator('noscript p').innerText(), /This page needs JavaScript/);
  });
});

/** Presses the tabulator until it reaches what has the id. */
async function tabTo(page: Page, id: string): Promise<void> {
  for (let count = 0; count < 30; count += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.id')) === id) return;
  }
  assert.fail(`${id} cannot be reached`);
}

/** The ids of what the next twenty presses of the tabulator reach. */
async function reachedByTab(page: Page): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for (let count = 0; count < 20; count += 1) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate<string>('document.activeElement.id'));
  }
  return reached;
}
