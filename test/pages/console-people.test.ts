// The console's view of people and of their login attempts, in a real browser against a real controller.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/platform/clock.ts';
import { screenshot } from '../support/browser.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { announced, assertClean, atConsole, phone } from './console-support.ts';

let server: TestServer;
let root: Caller;
before(async () => {
  server = await startTestServer();
  root = await rootOf(server);
});
after(() => server.close());

const fail = async (username: string): Promise<string> => {
  const answer = await submitPassword(server, await beginLogin(server), username, 'not the password');
  return answer.json.error.requestId;
};

/** Presses a button of the person's page, and the one that confirms it. */
async function confirm(page: Page, id: string): Promise<void> {
  await page.locator(`#${id}`).click();
  await page.getByRole('alertdialog').waitFor();
  await page.locator(`#${id}-confirm`).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
}

describe('a person', () => {
  test('is found by name, user name, id, external id and reference', async () => {
    const id = await server.createUser({ name: 'Mary Shelley', username: 'frank', password });
    await root.call('PATCH', `identities/${id}`, { externalId: 'ext-1818' });
    const reference = await fail('frank');
    const guest = await atConsole(server, 'root', '/console/people');
    const { page } = guest;
    for (const words of ['shelley', 'frank', id, 'ext-1818']) {
      await page.locator('#filter-q').fill(words);
      await page.waitForURL((url) => url.searchParams.get('q') === words);
      await page.getByText('1 to 1 of 1').waitFor();
      assert.equal(await page.locator('tbody a').first().textContent(), 'Mary Shelley');
    }
    await page.locator('#filter-q').fill(reference.toLowerCase());
    await page.locator('#found-attempt').getByRole('link', { name: 'Mary Shelley' }).waitFor();
    await assertClean(guest);
    await page.locator('#found-attempt a').first().click();
    await page.getByText('Wrong password', { exact: true }).waitFor();
    await assertClean(guest);
    await guest.close();
  });

  test('is told why they cannot sign in, and let in again', async () => {
    const name = 'Nora <img src=x onerror="document.title=1">';
    const id = await server.createUser({ name, username: 'nora', password });
    const tags = { '<script>': '"><script>document.title=2</script>' };
    await root.call('PATCH', `identities/${id}`, { tags });
    const policyId = createdId(
      await root.call('POST', 'auth-policies', {
        name: 'three guesses',
        primary: {
          updb: { allowed: true, maxAttempts: 3, lockoutDurationMinutes: 10 },
          cert: { allowed: false },
        },
      }),
    );
    await root.call('PATCH', `identities/${id}`, { authPolicyId: policyId });
    await loggedIn(server, 'nora');
    for (let at = 0; at < 3; at += 1) await fail('nora');
    const guest = await atConsole(server, 'root', `/console/people/${id}`);
    const { page } = guest;
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const answer = page.locator('#answer');
    await answer.filter({ hasText: 'No.' }).waitFor();
    await page.getByText('the password is locked for 10 minutes').waitFor();
    await page.locator('.ways').getByText('authenticator unlocked').first().waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-person');

    await confirm(page, 'unlock');
    await announced(page, 'Unlocked');
    await answer.filter({ hasText: 'Yes: with a password.' }).waitFor();

    await confirm(page, 'disable');
    await announced(page, 'Disabled');
    await answer.filter({ hasText: 'No.' }).waitFor();
    await page.getByText('Account disabled').first().waitFor();
    await confirm(page, 'enable');
    await announced(page, 'Enabled');
    await answer.filter({ hasText: 'Yes' }).waitFor();

    await page.locator('#set-password').click();
    await page.locator('#new-password').fill('short');
    await page.locator('#set-password-confirm').click();
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await assertClean(guest);
    await page.locator('#new-password').fill('eleven loud umbrellas');
    await page.locator('#set-password-confirm').click();
    await announced(page, 'The password is set');
    await loggedIn(server, 'nora', 'eleven loud umbrellas');

    await page.reload();
    await page.locator('#username').fill('root');
    await page.locator('#password').fill(password);
    await page.locator('#login').click();
    await page.locator('#end-sessions').click();
    await page.getByText('ends at once, in every application').waitFor();
    await page.locator('#end-sessions-confirm').click();
    await announced(page, 'The sessions have ended');
    const page1 = await server.store.apiSessions.list(
      { filter: { op: '=', field: 'identityId', value: id }, sort: [], limit: 10, offset: 0 },
      systemClock.now(),
    );
    assert.equal(page1.totalCount, 0);
    assert.doesNotMatch(await page.title(), /^[12]$/);
    assert.equal(await page.locator('main img, main script').count(), 0);
    await guest.close();
  });

  test('is invited by a link, on a telephone in German', async () => {
    const id = await server.createUser({ name: 'ida', password });
    const guest = await atConsole(server, 'root', `/console/people/${id}`, {
      viewport: phone,
      language: 'de',
    });
    const { page } = guest;
    await page.locator('#answer').filter({ hasText: 'Ja: mit Passwort.' }).waitFor();
    await assertClean(guest);
    await page.locator('#invite').click();
    await page.locator('#invite-confirm').click();
    const link = (await page.locator('#invitation-link').textContent()) ?? '';
    await assertClean(guest);
    assert.equal(
      (await server.get(link.slice(server.url.length), { headers: { accept: 'text/html' } })).status,
      200,
    );
    await guest.close();
  });

  test('is helped by whoever may help, unless they may do more', async () => {
    const helperId = await server.createUser({ name: 'helper', password });
    await root.call('PATCH', `identities/${helperId}`, { permissions: ['helpdesk'] });
    const policy = { name: 'two guesses', primary: { updb: { allowed: true, maxAttempts: 2 } } };
    const policyId = createdId(await root.call('POST', 'auth-policies', policy));
    const lockedOut = async (name: string, more: object = {}) => {
      const id = await server.createUser({ name, password });
      await root.call('PATCH', `identities/${id}`, { authPolicyId: policyId, ...more });
      for (let at = 0; at < 2; at += 1) await fail(name);
      return id;
    };
    const id = await lockedOut('client');
    const readerId = await lockedOut('reader', { permissions: ['read'] });
    const guest = await atConsole(server, 'helper', `/console/people/${id}`);
    const { page } = guest;
    await page.locator('#actions + *, #unlock').first().waitFor();
    assert.deepEqual(await page.locator('section:has(#actions) .buttons > button').allTextContents(), [
      'Unlock',
      'Invite',
    ]);
    await confirm(page, 'unlock');
    await page.locator('#answer').filter({ hasText: 'Yes' }).waitFor();
    await page.goto(`${server.url}/console/people/${readerId}`);
    await page.locator('#username').fill('helper');
    await page.locator('#password').fill(password);
    await page.locator('#login').click();
    await page.locator('#answer').filter({ hasText: 'No.' }).waitFor();
    assert.equal(await page.locator('#unlock').count(), 0);
    await guest.close();
  });
});

describe('login attempts', () => {
  test('appear by themselves, and are filtered by the address', async () => {
    await server.createUser({ name: 'walter', password });
    const guest = await atConsole(server, 'root', '/console/attempts?person=walter&outcome=refused');
    const { page } = guest;
    await page.getByText('No login attempt matches').waitFor();
    const reference = await fail('walter');
    await page.getByRole('cell', { name: reference }).waitFor();
    await loggedIn(server, 'walter');
    assert.equal(await page.locator('tbody tr').count(), 1);
    await page.locator('#filter-outcome').selectOption('passed');
    await page.waitForURL(/outcome=passed/);
    await page.getByRole('cell', { name: 'Passed' }).waitFor();
    await page.locator('#filter-person').fill('"quote\\ or true');
    await page.getByText('No login attempt matches').waitFor();
    await page.locator('#clear-filters').click();
    await page.waitForURL(`${server.url}/console/attempts`);
    await page.getByRole('cell', { name: reference }).waitFor();
    await page.locator('#live').uncheck();
    await page.getByRole('button', { name: 'Person' }).click();
    await page.waitForURL(/sort=identityName\+asc/);
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { level: 1, name: /^Login attempt / }).waitFor();
    await page.goBack();
    assert.match(page.url(), /sort=identityName\+asc/);
    await guest.close();
  });

  test('are exported without a formula that a stranger wrote', async () => {
    const formula = '=HYPERLINK("https://evil.example","x")';
    await server.createUser({ name: formula, username: 'formula', password });
    // A second cell where semicolons separate them, as in a German spreadsheet; a wide sign, as in a Japanese one.
    await server.createUser({ name: 'x; =HYPERLINK(1);y', username: 'second', password });
    await server.createUser({ name: '\uff1dHYPERLINK(2)', username: 'wide', password });
    for (const username of ['wide', 'second', 'formula']) await fail(username);
    const guest = await atConsole(server, 'root', '/console/attempts?person=HYPERLINK');
    const { page } = guest;
    const fileOf = async (button: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()]);
      return readFileSync(await download.path(), 'utf8');
    };
    const csv = await fileOf('#export-csv');
    assert.match(csv, /^Time,Person,/);
    assert.ok(csv.includes(`,"'=HYPERLINK(""https://evil.example"",""x"")",`), csv);
    assert.ok(csv.includes(`,"x;' =HYPERLINK(1);y",`), csv);
    assert.ok(csv.includes(`,"'\uff1dHYPERLINK(2)",`), csv);
    assert.equal(JSON.parse(await fileOf('#export-json'))[0].identity.name, formula);
    await guest.close();
  });
});
