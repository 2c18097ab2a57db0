// Invitations in a real browser: from the link to the account page.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { accessibilityProblems } from '../support/axe.ts';
import {
  narrow,
  screenshot,
  type Visitor,
  type VisitorOptions,
  visitor,
  zoomed,
} from '../support/browser.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { scan } from '../support/totp.ts';
import { assertLoggedIn, beginAt, givePassword } from './support.ts';

const chosen = 'eleven loud umbrellas';
const server = await startTestServer();
const admin = await rootOf(server);
after(() => server.close());

async function linkFor(name: string, more: object = {}): Promise<string> {
  const id = createdId(await admin.call('POST', 'identities', { name, type: 'User', ...more }));
  return (await admin.call('POST', `identities/${id}/invitation`, {})).json.data.url;
}

async function following(url: string, options: VisitorOptions = {}): Promise<Visitor> {
  const guest = await visitor(options);
  await guest.page.goto(url);
  return guest;
}

async function choose({ page }: Visitor, secret = chosen, repeated = secret): Promise<void> {
  await page.fill('#password', secret);
  await page.fill('#repeated', repeated);
  await page.click('#choose');
}

async function assertClean({ page, complaints }: Visitor): Promise<void> {
  assert.deepEqual(await accessibilityProblems(page), []);
  const width = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(width, 0, 'nothing sticks out');
  assert.deepEqual(
    complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
    [],
  );
}

describe('a person who opens an invitation', () => {
  test('chooses a password and is signed in, with nothing else to do', async () => {
    await using guest = await following(await linkFor('nina'));
    const { page } = guest;
    assert.equal(await page.inputValue('#username'), 'nina');
    await assertClean(guest);
    await screenshot(page, 'invite');
    await choose(guest);
    await page.locator('#sign-out').waitFor();
    assert.equal(page.url(), `${server.url}/account`);
    await page.getByText('nina', { exact: true }).waitFor();
  });

  test('goes from field to field and to the end with the keyboard alone', async () => {
    await using guest = await following(await linkFor('kim'));
    const { page } = guest;
    await page.focus('#username');
    await page.keyboard.press('Tab');
    await page.keyboard.type(chosen);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(chosen);
    await page.keyboard.press('Enter');
    await page.locator('#sign-out').waitFor();
  });

  test('is signed in too when the form is sent before the script of the page is ready', async () => {
    await using guest = await visitor();
    const { page } = guest;
    const ready = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/.well-known/openid-configuration', async (route) => {
      asked.resolve();
      await ready.promise;
      await route.continue();
    });
    await page.goto(await linkFor('early'));
    await asked.promise;
    await choose(guest);
    await choose(guest);
    ready.resolve();
    await page.locator('#sign-out').waitFor();
  });

  test('sets up the authenticator app that the policy requires', async () => {
    const authPolicyId = await createPolicy(server, 'with codes', { secondary: { requireTotp: true } });
    await using guest = await following(await linkFor('olga', { authPolicyId }));
    const { page } = guest;
    await choose(guest);
    await page.click('#start-enrollment');
    const app = scan(systemClock, (await page.locator('#open-app').getAttribute('href')) ?? '');
    await page.check('#saved');
    await page.fill('#code', app.code());
    await page.click('#verify');
    await page.locator('#sign-out').waitFor();
    assert.equal(page.url(), `${server.url}/account`);
  });

  test('sees what is wrong with a password, and tries again', async () => {
    await using guest = await following(await linkFor('pete'), { viewport: narrow });
    const { page } = guest;
    await page.evaluate('document.querySelector("#password").removeAttribute("minlength")');
    await choose(guest, 'short');
    await page.getByRole('alert').getByText('at least 12').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'failure');
    assert.equal(await page.inputValue('#password'), '');
    await assertClean(guest);
    await choose(guest, chosen, `${chosen}!`);
    await page.getByRole('alert').getByText('differ').waitFor();
    await choose(guest);
    await page.locator('#sign-out').waitFor();
  });

  test('without scripts sets the password, and is shown the way to the account', async () => {
    const url = await linkFor('quinn');
    const guest = await following(url, { scripts: false, viewport: zoomed });
    await choose(guest);
    await guest.page.locator('#to-account').waitFor();
    assert.match(await guest.page.innerText('main'), /quinn/);
    await guest.page.goto(url);
    assert.match(await guest.page.innerText('h1'), /does not work/);
    assert.match(await guest.page.innerText('main'), /If you used it yourself, sign in with the password/);
    assert.equal(await guest.page.getAttribute('#to-account', 'href'), '/account');
    await guest.close();
    await using next = await following(url);
    await assertClean(next);
  });

  test('reads it in German, in the dark', async () => {
    const id = await server.createUser({ name: 'rita', password });
    const { url } = (await admin.call('POST', `identities/${id}/invitation`, {})).json.data;
    await using guest = await following(url, { language: 'de', colorScheme: 'dark' });
    assert.equal(await guest.page.innerText('h1'), 'Wählen Sie ein neues Passwort');
    await assertClean(guest);
    await choose(guest);
    await guest.page.locator('#sign-out').getByText('Abmelden').waitFor();
  });

  test('signed in as another person in this tab becomes the invited person', async () => {
    await server.createUser({ name: 'sam', password });
    await using first = await following(`${server.url}/account`);
    const { page } = first;
    await page.click('#sign-in');
    await page.fill('#username', 'sam');
    await page.fill('#password', password);
    await page.click('#login');
    await page.getByText('sam', { exact: true }).waitFor();
    await page.goto(await linkFor('tess'));
    await choose(first);
    await page.getByText('tess', { exact: true }).waitFor();
  });
});

describe('a person whose password must change', () => {
  test('has to choose a new one, sees what is wrong, and continues', async () => {
    const id = await server.createUser({ name: 'uma', password });
    await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
    for (const [language, heading] of [
      ['en', 'Choose a new password'],
      ['de', 'Wählen Sie ein neues Passwort'],
    ] as const) {
      await using guest = await following(`${server.url}/account`, { language, viewport: narrow });
      const { page } = guest;
      await page.click('#sign-in');
      await page.fill('#username', 'uma');
      await page.fill('#password', password);
      await page.click('#login');
      await page.locator('#change-password').waitFor();
      assert.equal(await page.innerText('h1'), heading);
      // Password managers file the new password under this name.
      assert.equal(await page.inputValue('input[autocomplete=username]'), 'uma');
      await assertClean(guest);
      if (language === 'en') {
        await page.fill('#password', password);
        await page.fill('#repeated', password);
        await page.click('#change-password');
        await page.getByRole('alert').getByText('your current password').waitFor();
        await assertClean(guest);
        await page.fill('#password', chosen);
        await page.fill('#repeated', `${chosen}!`);
        await page.click('#change-password');
        await page.getByRole('alert').getByText('differ').waitFor();
      } else {
        await page.fill('#password', chosen);
        await page.fill('#repeated', chosen);
        await page.click('#change-password');
        await page.locator('#sign-out').waitFor();
      }
    }
  });

  test('can do the same without scripts', async () => {
    const id = await server.createUser({ name: 'vic', password });
    await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
    await using application = await startApplication();
    await using guest = await visitor({ scripts: false });
    await beginAt(server, application, guest.page);
    await givePassword(guest.page, 'vic', password);
    await guest.page.fill('#password', chosen);
    await guest.page.fill('#repeated', chosen);
    await guest.page.click('#change-password');
    await assertLoggedIn(server, application, guest.page);
  });
});
