// The lists of the console: what a telephone shows of them, and what people are found by.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { webFiles } from '../../src/pages/web-files.ts';
import { screenshot, visitor } from '../support/browser.ts';
import { authority, client } from '../support/chains.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import { assertClean, assertFits, atConsole, colleague, giveLogin, go, phone } from './console-support.ts';

const admin = colleague(() => server, 'root');
const server = await startTestServer({ signing: true });
const root = await rootOf(server);
after(async () => {
  await admin.close();
  await server.close();
});

for (let at = 0; at < 30; at += 1) await server.createUser({ name: `person ${at}`, password });
const device = createdId(
  await root.call('POST', 'identities', {
    name: 'meter 7',
    type: 'Device',
    roleAttributes: ['meters', 'administrators'],
  }),
);
const policy = createdId(await root.call('POST', 'auth-policies', { name: 'administrators' }));
await root.call('PATCH', `auth-policies/${policy}`, { name: 'administrators and helpdesk' });
await root.call('PATCH', `identities/${device}`, { authPolicyId: policy });
await root.call('POST', `identities/${device}/disable`, { durationMinutes: 60 });
createdId(await root.call('POST', 'enrollments', { method: 'ott', identityId: device, expiresAt: null }));
const partner = authority({ subject: 'partner' });
createdId(await root.call('POST', 'cas', { name: 'partner', certPem: partner.certPem }));
const { certPem } = client({ subject: 'meter 7', issuer: partner });
createdId(await root.call('POST', 'authenticators', { method: 'cert', identityId: device, certPem }));
createdId(
  await root.call('POST', 'oidc-clients', {
    ...{ id: 'wiki-id', name: 'wiki', type: 'public', redirectUris: ['https://wiki.example.com/callback'] },
  }),
);
createdId(
  await root.call('POST', 'external-jwt-signers', {
    ...{ name: 'company', issuer: 'https://idp.example.com', audience: 'us', enabled: true },
    jwksEndpoint: 'https://idp.example.com/keys',
  }),
);

createdId(
  await root.call('POST', 'event-subscriptions', {
    ...{ name: 'audit log', type: 'webhook', url: 'https://events.example.com/hook', enabled: false },
  }),
);

/** Screens of the navigation that are no lists. */
const others = ['/console', '/console/what-if'];

for (const language of ['en', 'de']) {
  test(`the first row of every list is within 320 px on a telephone, and each list fits (${language})`, async () => {
    await using guest = await atConsole(server, 'root', '/console', { viewport: phone, language });
    const { page } = guest;
    const paths: string[] = await page.evaluate(
      `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href').replace(/\\/$/, ''))`,
    );
    assert.ok(paths.length > 10);
    for (const path of paths.filter((one) => !others.includes(one))) {
      await go(page, path.slice('/console'.length));
      const row = page.locator('main tbody tr').first();
      await row.waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      const top = (await row.boundingBox())?.y ?? Number.POSITIVE_INFINITY;
      assert.ok(top <= 320, `${path} begins at ${top} px`);
      await assertClean(guest);
      for (const width of [320, 1024, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const at = `${path} at ${width} px`;
        await assertFits(page, at);
        const scrolls = `[...document.querySelectorAll('.table')].some((one) => one.scrollWidth > one.clientWidth)`;
        assert.equal(await page.evaluate(scrolls), false, at);
      }
      await page.setViewportSize(phone);
    }
  });
}

test('a telephone shows the other filters when asked, and how many are set', async () => {
  await using guest = await atConsole(server, 'root', '/console/people', { viewport: phone });
  const { page } = guest;
  await page.locator('#filter-type').waitFor({ state: 'hidden' });
  await page.locator('#more-filters').click();
  await page.locator('#filter-type').selectOption('Device');
  await page.getByText('1 to 1 of 1').waitFor();
  await page.getByRole('button', { name: 'Filters (1)', expanded: true }).click();
  await page.locator('#filter-type').waitFor({ state: 'hidden' });
  await assertClean(guest);
  await page.locator('#clear-filters').click();
  await page.getByText('1 to 25 of 32').waitFor();
});

test('people are found by type, role attribute, second factor and last sign-in, which the list shows', async () => {
  const id = await server.createUser({ name: 'Ada', username: 'ada', password });
  await root.call('PATCH', `identities/${id}`, { externalId: 'ext-ada', email: 'ada@example.com' });
  await loggedIn(server, 'ada');
  await using guest = await admin.at('/console/people?q=ada');
  const { page } = guest;
  const row = page.locator('tbody tr').filter({ hasText: 'Ada' });
  for (const text of ['ada@example.com', 'ext-ada', 'User', 'None']) await row.getByText(text).waitFor();
  assert.equal(await row.locator('time').count(), 1);
  // No time is longer.
  await row.locator('time').evaluate((time) => {
    for (const [at, text] of ['Nov 30, 2026,', '10:44 PM'].entries())
      time.children[at]?.firstChild?.replaceWith(text);
  });
  await assertClean(guest);
  await screenshot(page, 'console-people');
  for (const [search, found] of [
    ['type=Device', 'meter 7'],
    ['seen=never&type=Device', 'meter 7'],
    ['factor=none&q=ada', 'Ada'],
  ] as const) {
    await go(page, '/nodes');
    await go(page, `/people?${search}`);
    await page.getByText('1 to 1 of 1').waitFor();
    assert.equal(await page.locator('tbody a').first().textContent(), found, search);
  }
  for (const search of ['seen=30', 'factor=app', 'factor=passkey']) {
    await go(page, '/nodes');
    await go(page, `/people?${search}`);
    await page.getByText('No person matches.').waitFor();
  }
  await go(page, '/nodes');
  await go(page, '/people?q=meter');
  await page.getByRole('link', { name: 'meters' }).click();
  await page.waitForURL((url) => url.search === '?role=meters');

  const same = 'eve@example.com';
  const eve = await server.createUser({ name: 'Eve', username: 'eve', password });
  await root.call('PATCH', `identities/${eve}`, { externalId: same, email: same });
  await go(page, '/nodes');
  await go(page, '/people?q=eve');
  await page.locator('tbody').getByText(same).first().waitFor();
  assert.equal(await page.locator('tbody').getByText(same).count(), 1);
});

test('a filter keeps what is typed while its address changes', async () => {
  await using guest = await admin.at('/console/people');
  const { page } = guest;
  const filter = page.locator('#filter-q');
  // Types one more letter at the moment at which the address gets the first ones.
  await page.evaluate(`{
    const replace = history.replaceState;
    history.replaceState = function (...given) {
      if (String(given[2]).endsWith('q=met')) {
        history.replaceState = replace;
        const input = document.querySelector('#filter-q');
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'mete');
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
      return replace.apply(this, given);
    };
  }`);
  await filter.fill('met');
  await page.waitForURL((url) => url.search === '?q=mete');
  assert.equal(await filter.inputValue(), 'mete');
  await page.locator('#clear-filters').click();
  await page.waitForURL((url) => url.search === '');
  assert.equal(await filter.inputValue(), '');
});

test('clearing the filters also forgets what was typed just before', async () => {
  await using guest = await admin.at('/console/people?type=Device');
  const { page } = guest;
  const filter = page.locator('#filter-q');
  await page.locator('#clear-filters').waitFor();
  await filter.fill('met');
  await page.locator('#clear-filters').press('Enter');
  await page.locator('#clear-filters').waitFor({ state: 'detached' });
  assert.equal(await filter.inputValue(), '');
  // The button is gone, and the keyboard goes on at the filters.
  await page.locator('search:focus').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.id'), 'filter-q');
  // What is typed later comes later into the address.
  await page.locator('#filter-role').fill('meters');
  await page.waitForURL((url) => url.searchParams.get('role') === 'meters');
  assert.equal(new URL(page.url()).search, '?role=meters');
  assert.equal(await filter.inputValue(), '');
});

test('a link in a list forgets what was typed just before', async () => {
  await using guest = await atConsole(server, 'root', '/console/people?type=Device');
  const { page } = guest;
  await page.getByRole('link', { name: 'meters' }).waitFor();
  await page.clock.install();
  await page.evaluate(`{
    const input = document.querySelector('#filter-q');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'person');
    input.dispatchEvent(new Event('input', { bubbles: true }));
    document.querySelector('td a[href$="role=meters"]').click();
  }`);
  await page.locator('#filter-type option[value=""]:checked').waitFor({ state: 'attached' });
  await page.clock.runFor(1000);
  assert.equal(await page.locator('#filter-q').inputValue(), '');
  assert.equal(new URL(page.url()).search, '?role=meters');
});

test('the back button leads through the pages of a list', async () => {
  await using guest = await admin.at('/console/people');
  const { page } = guest;
  const shows = (rows: string) => page.locator('.pages', { hasText: rows }).waitFor();
  await shows('1 to 25 of');
  await page.getByRole('button', { name: 'Next page' }).click();
  await shows('26 to');
  await page.locator('tbody a').first().click();
  await page.waitForURL((url) => url.pathname !== '/console/people');
  await page.goBack();
  await shows('26 to');
  await page.goBack();
  await shows('1 to 25 of');
  await page.goBack();
  await page.waitForURL((url) => url.pathname !== '/console/people');
});

test('a page of a list that has no entries any more leads to the last one that has some', async () => {
  await using guest = await admin.at('/console/people?q=person&page=9');
  const { page } = guest;
  await page.waitForURL((url) => url.search === '?q=person&page=2');
  await page.getByText('26 to 30 of 30').waitFor();
  await go(page, '/nodes');
  await go(page, '/people?q=meter&page=2');
  await page.waitForURL((url) => url.search === '?q=meter');
  await page.getByText('1 to 1 of 1').waitFor();
  await go(page, '/nodes');
  await go(page, '/people?q=nobody&page=2');
  await page.getByText('No person matches.').waitFor();
});

test('the address of an entity that is gone says so, and leads to the list', async () => {
  await using guest = await admin.at('/console/nodes');
  const { page } = guest;
  const people = ['people/gone', 'people/gone/edit'].map((address) => [address, 'People'] as const);
  const rules = [
    ['policies/gone', 'Auth policies'],
    ['signers/gone', 'External JWT signers'],
    ['clients/gone', 'Applications'],
  ] as const;
  for (const [address, list] of [...people, ...rules]) {
    await go(page, `/${address}`);
    await page.locator('h1:focus', { hasText: /^Not found$/ }).waitFor();
    assert.equal(await page.title(), 'Not found · Overlay', address);
    await assertClean(guest);
    await page.locator('main').getByRole('link', { name: list, exact: true }).click();
    await page.locator('h1', { hasText: list }).waitFor();
  }
  await go(page, '/what-if?person=gone');
  await page.getByRole('alert').getByText('Not found').waitFor();
  await page.locator('#pick').fill('root');
  await page.getByRole('button', { name: 'root' }).click();
  await page.locator('.note').getByText('Person: root').waitFor();
});

test('the overview names certificates that expire soon, and its chart follows the colour scheme', async () => {
  await using guest = await admin.at('/console');
  const { page } = guest;
  const soon = page.locator('section:has(#ends)');
  await soon.getByText('Third-party CA partner').waitFor();
  await assertClean(guest);
  const drawn = `document.querySelector('canvas').toDataURL()`;
  await page.locator('canvas').waitFor();
  await page.evaluate(`window.inLight = ${drawn}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(10_000, () => page.evaluate(`${drawn} !== window.inLight`));
  await soon.getByText('Certificate of meter 7').click();
  await page.getByRole('heading', { level: 1, name: 'meter 7' }).waitFor();
});

test('the overview is there when the code of its chart is not, which is loaded again at the press of a button', async () => {
  const { byName } = await webFiles();
  const [chart = ''] = [...byName].find(([, { plain }]) => plain.includes('maintainAspectRatio')) ?? [];
  await using guest = await visitor();
  const { page } = guest;
  await page.route(`**/${chart}`, (route) => route.abort());
  await page.goto(`${server.url}/console`);
  await giveLogin(page, 'root');
  const card = page.getByRole('region', { name: 'Sign-ins and refusals in the last 24 hours' });
  await card.getByRole('alert').waitFor();
  await page.locator('#issuers').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await card.getByRole('button', { name: 'Try again' }).click();
  await card.locator('#passed').waitFor();
});

test('the overview names event subscriptions whose receiver does not take them', async () => {
  const before = await admin.at('/console');
  await before.page.getByText('Third-party CA partner').waitFor();
  await before.page.locator('.loading').first().waitFor({ state: 'detached' });
  assert.equal(await before.page.locator('#failing-events').count(), 0);
  await before.close();
  const away = { name: 'siem', type: 'webhook', url: 'https://localhost:9/hook', events: ['admin.changed'] };
  const id = createdId(await root.call('POST', 'event-subscriptions', away));
  createdId(await root.call('POST', 'config-types', { name: 'an event' }));
  await until(30_000, async () => (await root.get(`event-subscriptions/${id}`)).json.data.failures > 0);
  const guest = await admin.at('/console');
  const { page } = guest;
  const card = page.locator('section:has(#failing-events)');
  await card.getByText(/\d+ attempts? failed/).waitFor();
  await assertClean(guest);
  await card.getByText('siem').click();
  await page.getByRole('heading', { level: 1, name: 'siem' }).waitFor();
  await guest.close();
  assert.equal((await root.call('DELETE', `event-subscriptions/${id}`)).status, 200);
});

test('the certificates of the server and what it trusts are in the console', async () => {
  await using guest = await admin.at('/console/certificates');
  const { page } = guest;
  const own = page.locator('section:has(#own-certificates)');
  for (const use of ['Server certificate', 'Authority', 'Signs client certificates'])
    await own.getByText(use, { exact: true }).first().waitFor();
  await own.getByText('Signs the server certificate', { exact: true }).first().waitFor();
  await own.getByText('localhost').first().waitFor();
  await page.getByText('Soon', { exact: true }).first().waitFor();
  await assertClean(guest);
  await screenshot(page, 'console-certificates');
});

test('an application shows who signed in to it last', async () => {
  await using guest = await admin.at('/console/clients/wiki-id');
  const { page } = guest;
  const latest = page.locator('section:has(#sign-ins)');
  await latest.getByText('No sign-ins yet.').waitFor();
  await go(page, '/sessions?client=wiki-id');
  await page.getByText('No session matches.').waitFor();
  const json = { username: 'cleo', password, sdkInfo: { appId: `<img/src=x>${'W'.repeat(99)}` } };
  const id = await server.createUser({ name: 'Cleo', username: 'cleo', password });
  assert.equal((await server.post('/edge/client/v1/authenticate?method=password', { json })).status, 200);
  await root.call('DELETE', `identities/${id}/api-sessions`);
  await go(page, `/people/${id}`);
  const programs = page.locator('section:has(#programs)');
  await programs.getByText('<img/src=x>WWW').waitFor();
  assert.match(await programs.innerText(), /First on .+, last on .+ from 127\.0\.0\.1/);
  await assertClean(guest);
});

test('an invitation is offered only where there is something to set up by it', async () => {
  const certOnly = createdId(
    await root.call('POST', 'auth-policies', {
      name: 'certificates only',
      primary: { updb: { allowed: false }, cert: { allowed: true } },
    }),
  );
  const id = await server.createUser({ name: 'Ben', username: 'ben', password });
  await using guest = await admin.at(`/console/people/${id}`);
  const { page } = guest;
  await page.locator('#invite').waitFor();
  for (const change of [{ authPolicyId: certOnly }, { authPolicyId: 'default', disabled: true }]) {
    await root.call('PATCH', `identities/${id}`, change);
    await page.reload();
    await page.locator('section:has(#facts) .hint').first().waitFor();
    assert.equal(await page.locator('#invite').count(), 0, JSON.stringify(change));
  }
  await assertClean(guest);
});

test('the label in a card stands beside the first line of a long name', async () => {
  const name = 'Ana María Fernández de la Vega y Montenegro-Hohenzollern';
  await server.createUser({ name, username: 'ana', password });
  await using guest = await atConsole(server, 'root', '/console/people?q=Vega', { viewport: phone });
  const { page } = guest;
  await page.locator('td').getByRole('link', { name }).waitFor();
  // Nothing says where a label is that a style sheet adds. This one stands in its place.
  const [label = 0, first = 0, lines = 0] = await page.evaluate<readonly number[]>(`{
    const link = [...document.querySelectorAll('td a')].find(({ textContent }) => textContent.includes('Vega'));
    const label = document.createElement('span');
    label.textContent = '\\u2060';
    link.before(label);
    const { top, height } = link.getBoundingClientRect();
    [label.getBoundingClientRect().top, top, height];
  }`);
  assert.ok(lines > 60, 'it has several lines');
  assert.ok(Math.abs(label - first) < 8, `${label} and ${first}`);
});

test('a name from right to left leaves the time behind it as it is', async () => {
  await server.createUser({ name: '\u05d0\u05d1\u05e8\u05d4\u05dd 3', username: 'avraham', password });
  await submitPassword(server, await beginLogin(server), 'avraham', 'not the password');
  await using guest = await atConsole(server, 'root', '/console', { language: 'de' });
  const { page } = guest;
  await page.locator('section:has(#refusals) li .hint').first().waitFor();
  const [name = 0, day = 0, hour = 0] = await page.evaluate<readonly number[]>(`{
    const entry = document.querySelector('section:has(#refusals) li .hint');
    const name = document.createRange();
    name.selectNodeContents(entry.firstChild);
    [name, ...entry.querySelectorAll('time > span')].map((part) => part.getBoundingClientRect().left);
  }`);
  assert.ok(name < day && day < hour, `${name} < ${day} < ${hour}`);
});

test('the tables of audit events and people fit beside the menu with long names', async () => {
  const name = (letter: string) => letter.repeat(60);
  const id = await server.createUser({ name: name('a'), username: 'long', password });
  await root.call('PATCH', `identities/${id}`, { isAdmin: true });
  const long = await loggedIn(server, 'long');
  for (const letter of ['b', 'c']) {
    const made = createdId(await long.call('POST', 'auth-policies', { name: name(letter) }));
    if (letter === 'c') await long.call('DELETE', `auth-policies/${made}`);
  }
  await using guest = await admin.at('/console/audit');
  const { page, context } = guest;
  // Where it is midnight, the hour is as long as it gets: 12:34:56 AM.
  const hour = new Date().getUTCHours();
  const browser = await context.newCDPSession(page);
  const timezoneId = hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
  await browser.send('Emulation.setTimezoneOverride', { timezoneId });
  await page.reload();
  await page.locator('.table').getByText(name('c')).first().waitFor();
  const assertFitsAt = async (width: number, path: string) => {
    await page.setViewportSize({ width, height: 800 });
    const [shown, room] = await page.evaluate<readonly number[]>(`{
      const { scrollWidth, clientWidth } = document.querySelector('.table');
      [scrollWidth, clientWidth];
    }`);
    assert.equal(shown, room, `${path} at ${width}`);
  };
  for (const width of [1280, 1440]) await assertFitsAt(width, 'audit');
  const authPolicyId = createdId(await root.call('POST', 'auth-policies', { name: name('d') }));
  await root.call('PATCH', `identities/${id}`, { roleAttributes: [name('e')], authPolicyId });
  await go(page, `/people?q=${name('a')}`);
  await page.locator('.table').getByText(name('d')).first().waitFor();
  for (const width of [1110, 1280, 1440]) await assertFitsAt(width, 'people');
});
