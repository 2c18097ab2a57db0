// Every screen of the console and every part of the account page in German: no English word, accessible, and usable on a
// narrow window.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { narrow, screenshot, visitor } from '../support/browser.ts';
import { authority } from '../support/chains.ts';
import { englishOn } from '../support/english-words.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { assertClean, atConsole, giveLogin, go } from './console-support.ts';

const server = await startTestServer({ signing: true });
const root = await rootOf(server);
after(() => server.close());

/** One of each kind, with names that are no English words. */
async function things(): Promise<Readonly<Record<string, string>>> {
  const make = async (path: string, body: object) => createdId(await root.call('POST', path, body));
  const policy = await make('auth-policies', {
    name: 'Strenge',
    primary: { updb: { allowed: true, maxAttempts: 1, lockoutDurationMinutes: 10 }, cert: { allowed: true } },
    secondary: { requireTotp: true },
  });
  const person = await server.createUser({ name: 'Änne', password });
  await root.call('PATCH', `identities/${person}`, { authPolicyId: policy, roleAttributes: ['vertrieb'] });
  const refused = await submitPassword(server, await beginLogin(server), 'Änne', 'falsch');
  await submitPassword(server, await beginLogin(server), 'niemand', 'falsch');
  await make('enrollments', { identityId: person, method: 'ott' });
  const offline = { enabled: true, issuer: 'https://anbieter.example', audience: 'x' };
  return {
    person,
    policy,
    attempt: refused.json.error.requestId,
    signer: await make('external-jwt-signers', {
      ...{ ...offline, name: 'Anbieter', jwksEndpoint: 'https://anbieter.example/jwks' },
    }),
    ca: await make('cas', { name: 'Stelle', certPem: authority().certPem }),
    client: await make('oidc-clients', {
      name: 'Wiki',
      type: 'confidential',
      redirectUris: ['https://wiki.example/cb'],
    }),
    event: await make('event-subscriptions', { name: 'Siem', type: 'webhook', url: 'https://siem.example' }),
  };
}

test('no screen of the console has an English word', async () => {
  const { person, policy, attempt, signer, ca, client, event } = await things();
  const guest = await atConsole(server, 'root', '/console', { language: 'de', viewport: narrow });
  const { page } = guest;
  const found: string[] = [];
  for (const screen of [
    ...['people', 'people/new', 'people/import', `people/${person}`, `people/${person}/edit`],
    ...['attempts', `attempts/${attempt}`, 'what-if'],
    ...['policies', 'policies/new', `policies/${policy}`, 'signers', 'signers/new', `signers/${signer}`],
    ...['cas', 'cas/new', `cas/${ca}`, 'clients', 'clients/new', `clients/${client}`],
    ...[
      'events',
      'events/new',
      `events/${event}`,
      'sessions',
      'enrollments',
      `what-if?person=${person}`,
      'permissions',
    ],
    ...['nodes', 'certificates', 'audit', 'nichts', 'people/nichts', ''],
  ]) {
    await go(page, `/${screen}`);
    await page.waitForLoadState('networkidle');
    for (const folded of await page.locator('main details:not([open]) > summary').all())
      await folded.click({ timeout: 1000 }).catch(() => undefined);
    found.push(...(await englishOn(page)).map((words) => `${screen} ${words}`));
    await assertClean(guest);
    await screenshot(page, `german-${screen.replaceAll(/\W+/g, '-')}`);
  }
  await guest.close();
  assert.deepEqual([...new Set(found)], []);
});

test('no part of the account page has an English word', async () => {
  await server.createUser({ name: 'Jörg', password });
  const guest = await visitor({ language: 'de', viewport: narrow });
  const { page } = guest;
  const found: string[] = [];
  const look = async (part: string) => {
    await page.waitForLoadState('networkidle');
    for (const folded of await page.locator('main details:not([open]) > summary').all()) await folded.click();
    found.push(...(await englishOn(page)).map((words) => `${part} ${words}`));
    await assertClean(guest);
    await screenshot(page, `german-account-${part}`);
  };
  await page.goto(`${server.url}/account`);
  await page.locator('#sign-in').waitFor();
  await look('signed-out');
  await page.locator('#sign-in').click();
  await giveLogin(page, 'Jörg');
  await page.locator('nav').first().waitFor();
  const parts = await page.locator('nav a[href^="#"]').all();
  const hashes = await Promise.all(parts.map((part) => part.getAttribute('href')));
  assert.ok(hashes.length > 4, hashes.join());
  for (const hash of hashes) {
    await page.evaluate(`location.hash = '${hash}'`);
    await look(String(hash).slice(1));
  }
  await page.evaluate(`location.hash = '#app'`);
  await page.locator('#set-up-app-submit').click();
  await page.locator('main svg, main img').first().waitFor();
  await look('app-set-up');
  await guest.close();
  assert.deepEqual([...new Set(found)], []);
});
