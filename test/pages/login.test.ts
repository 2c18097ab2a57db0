// Logging in with a real browser, with scripts and without.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createSetupLink } from '../../src/admin/setup.ts';
import { auditLog } from '../../src/explain/audit-trail.ts';
import { DAY, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { visitor } from '../support/browser.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorizationQuery, beginLogin, login, redeem, submitPassword } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, password, scan, step, totpPolicy } from '../support/totp.ts';
import { assertLoggedIn, beginAt, givePassword, submit } from './support.ts';

// The certificates of tests are valid from today.
const clock = fixedClock(new Date(systemClock.now()).toISOString());
const application = await startApplication();
const server = await startTestServer({ clock });
const policy = await totpPolicy(server);
const alice = await server.createUser({ name: 'alice', password });
after(async () => {
  await server.close();
  await application.close();
});

let people = 0;
async function person(): Promise<string> {
  people += 1;
  await createTotpUser(server, policy, `person${people}`);
  return `person${people}`;
}

/** What arrived at the application since; double submits would show here. */
function arrivalsOf(page: Page): number {
  const state = new URL(page.url()).search;
  return application.arrivals.filter((path) => path.endsWith(state)).length;
}

for (const scripts of [true, false]) {
  describe(scripts ? 'with scripts' : 'without scripts', () => {
    test('a password leads to the application', async () => {
      const { page, complaints, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, 'alice', password);
      await assertLoggedIn(server, application, page);
      assert.equal(arrivalsOf(page), 1);
      assert.deepEqual(complaints, []);
      await close();
    });

    test('a wrong password is announced first, the name stays, and the right one continues', async () => {
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await page.fill('#username', 'alice');
      await page.fill('#password', 'wrong');
      assert.equal(await submit(page, '#login'), 401);
      assert.match(await page.title(), /^Error: /);
      assert.equal(await page.locator(':focus').getAttribute('id'), 'failure');
      assert.match(await page.locator('#failure code').innerText(), /^[0-9A-Z]{10}$/);
      assert.equal(await page.inputValue('#username'), 'alice');
      assert.equal(await page.inputValue('#password'), '');
      await page.fill('#password', password);
      await page.press('#password', 'Enter');
      await page.waitForURL(`${application.redirectUri}?**`);
      await assertLoggedIn(server, application, page);
      await close();
    });

    test('a code of the app, as it is pasted, and a recovery code', async () => {
      const name = await person();
      const { app, recoveryCodes } = await enroll(server, clock, name);
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      assert.equal(await page.locator(':focus').getAttribute('id'), 'code');
      await page.fill('#code', app.wrongCode());
      assert.equal(await submit(page, '#submit-code'), 400);
      await page.fill('#code', ` ${app.code().slice(0, 3)} ${app.code().slice(3)}`);
      await submit(page, '#submit-code');
      await assertLoggedIn(server, application, page);
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await page.click('summary');
      await page.fill('#recovery-code', recoveryCodes[0]?.toLowerCase() ?? '');
      await page.getByText('Neither the app nor a code? An administrator can remove').waitFor();
      await submit(page, '#submit-recovery-code');
      await assertLoggedIn(server, application, page);
      clock.advance(step);
      await close();
    });

    test('an enrollment in the middle, with the codes saved as a file', async () => {
      const name = await person();
      const { page, context, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      assert.equal(await submit(page, '#start-enrollment'), 201);
      assert.ok(((await page.locator('svg.qr').boundingBox())?.width ?? 0) >= 200);
      const app = scan(clock, (await page.getAttribute('#open-app', 'href')) ?? '');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download-codes')]);
      assert.equal(download.suggestedFilename(), 'recovery-codes.txt');
      assert.match(await page.locator('.print').innerText(), new RegExp(`Recovery codes for ${name} at \\w`));
      assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), scripts);
      if (scripts) {
        const copy = page.getByRole('button', { name: 'Copy', exact: true });
        // What is granted is all that is granted.
        await context.grantPermissions(['geolocation']);
        await copy.click();
        await page.getByText('Select the text and copy it').waitFor();
        await context.grantPermissions(['clipboard-write']);
        await copy.click();
        await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
        assert.equal(await page.getByText('Select the text and copy it').count(), 0);
      }
      await page.fill('#code', app.code());
      await page.click('#verify');
      assert.equal(await page.locator('svg.qr').count(), 1, 'not sent before the codes are saved');
      await page.check('#saved');
      await submit(page, '#verify');
      await assertLoggedIn(server, application, page);
      clock.advance(step);
      await close();
    });

    test('a recovery code, and a new app in place of the lost one on the way', async () => {
      const name = await person();
      const { recoveryCodes } = await enroll(server, clock, name);
      const [first = '', second = '', third = ''] = recoveryCodes;
      const { page, complaints, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await page.click('summary');
      await page.fill('#recovery-code', first);
      await submit(page, '#set-up-app');
      await page.fill('#recovery-code', second);
      assert.equal(await submit(page, '#start-enrollment'), 201);
      const app = scan(clock, (await page.getAttribute('#open-app', 'href')) ?? '');
      await page.check('#saved');
      await page.fill('#code', app.code());
      await submit(page, '#verify');
      await assertLoggedIn(server, application, page);
      clock.advance(step);
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await page.click('summary');
      await page.fill('#recovery-code', third);
      assert.equal(await submit(page, '#set-up-app'), 400, 'the codes of the lost app are gone');
      await page.fill('#code', app.code());
      await submit(page, '#submit-code');
      await assertLoggedIn(server, application, page);
      assert.deepEqual(
        complaints.filter((text) => !text.startsWith('Failed to load resource')),
        [],
      );
      clock.advance(step);
      await close();
    });

    test('a certificate, and another way if it is not accepted', async () => {
      const id = await server.createUser({ name: `cert ${scripts}`, password });
      const leaf = await enrolled(server, id);
      const one = await visitor({ scripts, clientCertificate: { origin: server.url, ...leaf } });
      await beginAt(server, application, one.page);
      await submit(one.page, '#login');
      const connection = withCertificate(server, leaf);
      await assertLoggedIn(server, application, one.page, connection);
      connection.closeConnections();
      await one.close();

      await using other = await visitor({ scripts });
      await beginAt(server, application, other.page, { method: 'cert' });
      assert.equal(await submit(other.page, '#login'), 401);
      await submit(other.page, '#use-password');
      await givePassword(other.page, 'alice', password);
      await assertLoggedIn(server, application, other.page);
    });

    test("a login that took too long starts again with the application's request", async () => {
      const { page, close } = await visitor({ scripts });
      for (const wait of [10 * MINUTE, 40 * MINUTE]) {
        await beginAt(server, application, page);
        clock.advance(wait);
        await page.fill('#username', 'alice');
        await page.fill('#password', password);
        assert.equal(await submit(page, '#login'), 400);
        await submit(page, '#start-again');
        await givePassword(page, 'alice', password);
        await assertLoggedIn(server, application, page);
      }
      await close();
    });

    test('the way back from the application does not log in twice', async () => {
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, 'alice', password);
      await page.goBack();
      if (await page.locator('#login').isVisible()) {
        await page.fill('#username', 'alice');
        await page.fill('#password', password);
        assert.equal(await submit(page, '#login'), 400);
      }
      assert.equal(await page.locator('#start-again').count(), 1);
      await close();
    });
  });
}

describe('two logins in one browser', () => {
  test('both continue, in either order', async () => {
    const { context, page, close } = await visitor();
    const second = await context.newPage();
    await beginAt(server, application, page);
    await beginAt(server, application, second);
    await givePassword(page, 'alice', password);
    await assertLoggedIn(server, application, page);
    await givePassword(second, 'alice', password);
    await assertLoggedIn(server, application, second);
    await close();
  });

  test('two clicks submit once', async () => {
    const { page, close } = await visitor();
    await beginAt(server, application, page);
    await page.fill('#username', 'alice');
    await page.fill('#password', password);
    await page.dblclick('#login');
    await page.waitForURL(`${application.redirectUri}?**`);
    await assertLoggedIn(server, application, page);
    await close();
  });

  test('a second click while the server is slow submits no code twice', async () => {
    const name = await person();
    const { app } = await enroll(server, clock, name);
    const { page, close } = await visitor();
    await beginAt(server, application, page);
    await givePassword(page, name, password);
    await page.fill('#code', app.code());
    const isClickedAgain = page.waitForRequest('**/clicked-again');
    let posts = 0;
    await page.route('**/oidc/login/totp', async (route) => {
      posts += 1;
      await isClickedAgain;
      await route.continue().catch(() => undefined);
    });
    // While the first answer is awaited, nothing can be asked of the page from here.
    await page.evaluate(`{
      const button = document.querySelector('#submit-code');
      button.click();
      setTimeout(() => {
        button.click();
        fetch('/clicked-again');
      }, 50);
    }`);
    await page.waitForURL(`${application.redirectUri}?**`);
    assert.equal(posts, 1);
    clock.advance(step);
    await close();
  });

  test('a person who stopped loading submits again', async () => {
    const { context, page, close } = await visitor();
    await page.clock.install();
    await beginAt(server, application, page);
    await page.fill('#username', 'alice');
    await page.fill('#password', password);
    // The first submission gets no answer.
    await page.route('**', () => undefined, { times: 1 });
    await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      page.click('#login', { noWaitAfter: true }),
    ]);
    await (await context.newCDPSession(page)).send('Page.stopLoading');
    await page.clock.fastForward('00:10');
    await page.click('#login');
    await page.waitForURL(`${application.redirectUri}?**`);
    await assertLoggedIn(server, application, page);
    await close();
  });
});

describe('a login that an attacker began', () => {
  test('is bound to the browser before the password, and its form has an id for that browser', async () => {
    const id = await beginLogin(server, { redirect_uri: application.redirectUri });
    const { page, close } = await visitor();
    await page.goto(`${server.url}/oidc/login/username?authRequestID=${id}`);
    assert.notEqual(await page.inputValue('input[name=authRequestId]'), id);
    await givePassword(page, 'alice', password);
    await assertLoggedIn(server, application, page);
    await close();
  });

  test('cannot be submitted by a form that none of our pages made', async () => {
    const id = await beginLogin(server);
    const form = { authRequestId: id, username: 'alice', password };
    for (const path of ['/oidc/login/username', '/oidc/login/cert', '/oidc/login/totp']) {
      const answer = await server.post(path, { form, headers: { accept: 'text/html' } });
      assert.equal(answer.status, 400, path);
      assert.equal(answer.headers.location, undefined);
    }
  });
});

test('keyboard alone: the focus follows the page, and Enter submits', async () => {
  const { page, close } = await visitor();
  await beginAt(server, application, page);
  const order: (string | null)[] = [];
  for (let presses = 0; presses < 6; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    order.push((await focused.getAttribute('id')) ?? (await focused.innerText()));
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    assert.notEqual(outline, 'none', order.at(-1) ?? '');
  }
  assert.deepEqual(order, [
    'username',
    'password',
    'Show password',
    'login',
    'use-passkey',
    'use-certificate',
  ]);
  await page.focus('#username');
  await page.keyboard.type('alice');
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${application.redirectUri}?**`);
  await assertLoggedIn(server, application, page);
  await close();
});

describe('keyboard alone, from the password to the application', () => {
  /** Moves on with Tab until the element has the focus. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    const wanted = page.locator(`${selector}:focus`);
    for (let presses = 0; presses < 30; presses += 1) {
      if ((await wanted.count()) === 1) {
        const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
        assert.notEqual(outline, 'none', `${selector} shows that it has the focus`);
        return;
      }
      await page.keyboard.press('Tab');
    }
    assert.fail(`${selector} cannot be reached`);
  }

  async function press(page: Page, key: 'Enter' | 'Space'): Promise<number> {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().isNavigationRequest()),
      page.waitForEvent('framenavigated'),
      page.keyboard.press(key),
    ]);
    await page.waitForLoadState();
    return answer.status();
  }

  async function typePassword(page: Page, name: string): Promise<void> {
    await beginAt(server, application, page);
    await tabTo(page, '#username');
    await page.keyboard.type(name);
    await tabTo(page, '#password');
    await page.keyboard.type(password);
    await tabTo(page, '#login');
    await press(page, 'Space');
  }

  test('a code, after one that was wrong', async () => {
    const name = await person();
    const { app } = await enroll(server, clock, name);
    const { page, close } = await visitor();
    await typePassword(page, name);
    await page.keyboard.type(app.wrongCode());
    assert.equal(await press(page, 'Enter'), 400);
    await tabTo(page, '#code');
    await page.keyboard.type(app.code());
    await tabTo(page, '#submit-code');
    await press(page, 'Space');
    await assertLoggedIn(server, application, page);
    clock.advance(step);
    await close();
  });

  test('a recovery code', async () => {
    const name = await person();
    const { recoveryCodes } = await enroll(server, clock, name);
    const { page, close } = await visitor();
    await typePassword(page, name);
    await tabTo(page, 'summary');
    await page.keyboard.press('Enter');
    await tabTo(page, '#recovery-code');
    await page.keyboard.type(recoveryCodes[0] ?? '');
    await press(page, 'Enter');
    await assertLoggedIn(server, application, page);
    clock.advance(step);
    await close();
  });

  for (const scripts of [true, false]) {
    test(`an enrollment, cancelled once, ${scripts ? 'with' : 'without'} scripts`, async () => {
      const { page, close } = await visitor({ scripts });
      await typePassword(page, await person());
      await tabTo(page, '#start-enrollment');
      assert.equal(await press(page, 'Enter'), 201);
      await tabTo(page, '#cancel-enrollment');
      assert.equal(await press(page, 'Space'), 200);
      await tabTo(page, '#start-enrollment');
      assert.equal(await press(page, 'Space'), 201);
      const app = scan(clock, (await page.getAttribute('#open-app', 'href')) ?? '');
      await tabTo(page, '#open-app');
      await tabTo(page, '#download-codes');
      await tabTo(page, '#saved');
      await page.keyboard.press('Space');
      await tabTo(page, '#code');
      await page.keyboard.type(app.code());
      await tabTo(page, '#verify');
      await press(page, 'Enter');
      await assertLoggedIn(server, application, page);
      clock.advance(step);
      await close();
    });
  }
});

describe('signing in as someone else', () => {
  const pages: Readonly<Record<string, () => Promise<string>>> = {
    async 'the page for a code'() {
      const name = await person();
      await enroll(server, clock, name);
      return name;
    },
    'the page of an enrollment': person,
  };
  for (const [title, unfinished] of Object.entries(pages)) {
    test(`leads from ${title} back to the first step, and the other person arrives`, async () => {
      const { page, complaints, close } = await visitor();
      await beginAt(server, application, page);
      await givePassword(page, await unfinished(), password);
      assert.equal(await page.locator('#login').count(), 0);
      await submit(page, '.elsewhere a');
      assert.equal(await page.inputValue('#username'), '');
      await givePassword(page, 'alice', password);
      assert.ok(page.url().startsWith(application.redirectUri));
      const changes = { redirect_uri: application.redirectUri };
      const tokens = await redeem(server, new URL(page.url()).searchParams.get('code') ?? '', changes);
      const { json } = await server.get('/oidc/userinfo', {
        headers: { authorization: `Bearer ${tokens.json.access_token}` },
      });
      assert.equal(json.sub, alice);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});

test('fields tell password managers, phones and apps what they are', async () => {
  const name = await person();
  await enroll(server, clock, name);
  const { page, close } = await visitor();
  await beginAt(server, application, page);
  const attribute = (selector: string, wanted: string) => page.getAttribute(selector, wanted);
  assert.equal(await attribute('#username', 'autocomplete'), 'username webauthn');
  assert.equal(await attribute('#username', 'autocapitalize'), 'none');
  assert.equal(await attribute('#password', 'autocomplete'), 'current-password');
  await page.fill('#password', 'x');
  await page.click('[data-shows=password]');
  assert.equal(await attribute('#password', 'type'), 'text');
  assert.equal(await attribute('[data-shows=password]', 'aria-pressed'), 'true');
  await givePassword(page, name, password);
  assert.equal(await attribute('#code', 'autocomplete'), 'one-time-code');
  assert.equal(await attribute('#code', 'inputmode'), 'numeric');
  assert.equal(await attribute('#code', 'maxlength'), null);
  await close();
});

test('a logout ends at the application, or at a page that says so', async () => {
  const { page, close } = await visitor();
  const tokens = await login(server, 'alice', password);
  await page.goto(`${server.url}/oidc/end_session?id_token_hint=${tokens.id_token}`);
  assert.equal(await page.locator('h1').innerText(), 'You are signed out');
  const again = await login(server, 'alice', password);
  const query = new URLSearchParams({
    id_token_hint: again.id_token,
    post_logout_redirect_uri: application.postLogoutUri,
  });
  await page.goto(`${server.url}/oidc/end_session?${query}`);
  assert.ok(page.url().startsWith(application.postLogoutUri), page.url());
  await close();
});

test('an account that is locked looks like one whose password is wrong, until it is open again', async () => {
  await server.createUser({ name: 'lena', password });
  const { page, close } = await visitor({ scripts: false });
  await beginAt(server, application, page);
  await givePassword(page, 'lena', 'wrong');
  const said = (await page.locator('#failure strong').innerText()).trim();
  const tries = Array.from({ length: 20 }, async () =>
    submitPassword(server, await beginLogin(server), 'lena', 'wrong'),
  );
  await Promise.all(tries);
  await page.fill('#password', password);
  assert.equal(await submit(page, '#login'), 401);
  assert.equal((await page.locator('#failure strong').innerText()).trim(), said);
  clock.advance(DAY);
  await beginAt(server, application, page);
  await givePassword(page, 'lena', password);
  await assertLoggedIn(server, application, page);
  await close();
});

test('set-up and logout work without scripts too', async () => {
  const { token } = await createSetupLink({ ...server, audit: auditLog(server.log) });
  const { page, close } = await visitor({ scripts: false });
  await page.goto(`${server.url}/setup?t=${token}`);
  await page.fill('#username', 'olga');
  await page.fill('#password', password);
  await page.fill('#repeated', password);
  assert.equal(await submit(page, '#create'), 201);
  assert.equal(await page.getAttribute('#to-console', 'href'), '/console');
  const tokens = await login(server, 'olga', password);
  await page.goto(`${server.url}/oidc/end_session?id_token_hint=${tokens.id_token}`);
  assert.equal(await page.getAttribute('#to-account', 'href'), '/account');
  await close();
});

describe('the language of pages', () => {
  test("is the browser's, unless the application chooses one", async () => {
    await using german = await visitor({ language: 'de-CH' });
    await beginAt(server, application, german.page);
    assert.equal(await german.page.getAttribute('html', 'lang'), 'de');
    assert.equal(await german.page.locator('h1').innerText(), 'Anmelden');
    await beginAt(server, application, german.page, { ui_locales: 'xx en-GB' });
    assert.equal(await german.page.getAttribute('html', 'lang'), 'en');
    await german.page.fill('#username', 'alice');
    await german.page.fill('#password', 'wrong');
    await submit(german.page, '#login');
    assert.equal(await german.page.getAttribute('html', 'lang'), 'en', 'on the pages that follow too');
    await beginAt(server, application, german.page);
    assert.equal(await german.page.getAttribute('html', 'lang'), 'de', 'not longer than that login');
  });

  test('also follows a posted authorization request', async () => {
    const { page, close } = await visitor();
    const fields = Object.entries({
      ...Object.fromEntries(
        new URLSearchParams(authorizationQuery({ redirect_uri: application.redirectUri })),
      ),
      ui_locales: 'de-AT',
    });
    await page.goto(application.postLogoutUri);
    const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
    await page.setContent(
      `<form method="post" action="${server.url}/oidc/authorization">${inputs}<button>Go</button></form>`,
    );
    await submit(page, 'button');
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
    await givePassword(page, 'alice', password);
    await assertLoggedIn(server, application, page);
    await close();
  });

  test('is English if no other is available', async () => {
    const { page, close } = await visitor({ language: 'fi' });
    await beginAt(server, application, page, { redirect_uri: 'https://elsewhere.example/' });
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.equal(await page.locator('h1').innerText(), 'This application may not be used here');
    await close();
  });
});
