// What people come to the console for, each done from beginning to end in a real browser on a fresh installation. The
// clicks are counted and compared with docs/tasks.md. To write that table anew: OVERLAY_AUTH_WRITE_DOCS=1.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { after, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { screenshot, visitor } from '../support/browser.ts';
import { createIdentity, createPolicy } from '../support/external-jwt.ts';
import { authorizationQuery, beginLogin, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestServer } from '../support/test-server.ts';
import { partialLogin, scan, startEnrollment, submitCode, verifyEnrollment } from '../support/totp.ts';
import { announced, atConsole, giveLogin } from './console-support.ts';
import { assertLoggedIn, beginAt, givePassword, signInAtProvider } from './support.ts';

const document = new URL('../../docs/tasks.md', import.meta.url);
const chosen = 'eleven loud umbrellas';

const [server, application] = await Promise.all([startTestServer(), startApplication()]);
const root = await rootOf(server);
const admin = await atConsole(server, 'root');
await admin.context.grantPermissions(['clipboard-write']);
after(async () => {
  await admin.close();
  await application.close();
  await server.close();
});

/** One row of the document. */
interface Done {
  readonly task: string;
  readonly administrator: number;
  readonly person: number;
  readonly seconds: string;
}
const done: Done[] = [];

/** A person at the mouse, whose clicks are counted. Typing is no click, and neither is Enter. */
interface Hand {
  readonly clicks: number;
  click(selector: string): Promise<void>;
  /** Opens a list of choices, which is a click, and takes one. */
  choose(selector: string, value: string): Promise<void>;
}

function handAt(page: Page): Hand {
  let clicks = 0;
  return {
    get clicks() {
      return clicks;
    },
    async click(selector) {
      await page.locator(selector).first().click();
      clicks += 1;
    },
    async choose(selector, value) {
      await page.locator(selector).selectOption(value);
      clicks += 1;
    },
  };
}

/** Does a task and notes what it took. `work` begins at the overview, where every sign-in ends. */
async function take(
  context: TestContext,
  task: string,
  work: (hand: Hand, page: Page) => Promise<number>,
): Promise<void> {
  const { page } = admin;
  await page.locator('nav a[href="/console"], nav a[href="/console/"]').click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const hand = handAt(page);
  const begun = performance.now();
  const person = await work(hand, page);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  done.push({ task, administrator: hand.clicks, person, seconds });
  context.diagnostic(`${task}: ${hand.clicks} clicks, ${person} by the person, ${seconds} s`);
}

const to = (screen: string) => `nav a[href="/console/${screen}"]`;
const referenceOf = (answer: Answer): string => answer.json.error.requestId;

describe('a task in the console', () => {
  test('invite a person, who then signs in', (context) =>
    take(context, 'Invite a person, who then signs in', async (hand, page) => {
      await hand.click(to('people'));
      await hand.click('#create');
      await page.locator('#field-name').fill('Iris Invited');
      await hand.click('#save');
      await page.locator('.secret').waitFor();
      await hand.click('.made .button');
      await announced(page, 'Copied');
      const link = (await page.locator('.secret').textContent()) ?? '';
      const iris = await visitor();
      const mouse = handAt(iris.page);
      await iris.page.goto(link);
      await iris.page.fill('#password', chosen);
      await iris.page.fill('#repeated', chosen);
      await mouse.click('#choose');
      await iris.page.locator('#sign-out').waitFor();
      await iris.close();
      return mouse.clicks;
    }));

  test('find out why a person is refused', async (context) => {
    const causes = await sixRefusals();
    for (const [reason, reference] of causes) {
      await take(context, `Find out why a person is refused: ${reason.toLowerCase()}`, async (hand, page) => {
        await page.locator('#find').fill(reference);
        await page.locator('#find').press('Enter');
        await hand.click('#found-attempt a');
        await page.getByRole('heading', { level: 1, name: `Reference ID ${reference}` }).waitFor();
        await page.getByText(reason).first().waitFor();
        await page.getByText('What to do').first().waitFor();
        if (reason === 'Wrong code') await screenshot(page, 'console-attempt');
        return 0;
      });
    }
  });

  test('allow the address of an application, which a person was refused for', async (context) => {
    const address = 'https://wiki.example/new-callback';
    const uris = { name: 'wiki', type: 'public', redirectUris: ['https://wiki.example/callback'] };
    const client_id = createdId(await root.call('POST', 'oidc-clients', uris));
    const query = authorizationQuery({ client_id, redirect_uri: address });
    await using refused = await visitor();
    await refused.page.goto(`${server.url}/oidc/authorization?${query}`);
    const reference = (await refused.page.locator('.reference code').textContent()) ?? '';
    await take(
      context,
      'Allow the address of an application that a person was refused for',
      async (hand, page) => {
        await page.locator('#find').fill(reference);
        await page.locator('#find').press('Enter');
        await hand.click('#found-attempt a');
        await page.getByText(address, { exact: true }).waitFor();
        await screenshot(page, 'task-allow-address');
        await hand.click('#allow-address');
        await page.getByRole('alertdialog').getByText(`${address} becomes a redirect URI`).waitFor();
        await hand.click('#allow-address-confirm');
        await announced(page, 'The address is registered for wiki.');
        return 0;
      },
    );
    await refused.page.goto(`${server.url}/oidc/authorization?${query}`);
    await refused.page.locator('#username').waitFor();
  });

  test('connect another provider, and sign in with it', async (context) => {
    await using provider = await startOpenIdProvider();
    await createIdentity(server, 'ana', { externalId: 'ana' });
    await take(context, 'Connect another provider and sign in with it', (hand, page) =>
      connect(provider, hand, page),
    );
  });

  test('require a second factor for a group, and see beforehand who is touched', async (context) => {
    const authPolicyId = await createPolicy(server, 'sales', {});
    for (const name of ['sam', 'sue', 'sid']) {
      const id = await server.createUser({ name, password });
      assert.equal((await root.call('PATCH', `identities/${id}`, { authPolicyId })).status, 200);
    }
    await take(
      context,
      'Require a second factor for a group and see beforehand who is touched',
      async (hand, page) => {
        await hand.click(to('policies'));
        await hand.click(`a[href="/console/policies/${authPolicyId}"]`);
        await hand.click('#field-secondary-requireTotp');
        await hand.click('#save');
        const question = page.getByRole('alertdialog');
        await question.getByText('3 people have this policy.').waitFor();
        await question.getByText('3 people would be asked for more than now.').waitFor();
        await question.getByText('No person would be locked out.').waitFor();
        await screenshot(page, 'task-second-factor');
        await hand.click('#save-confirm');
        await announced(page, 'Saved');
        const sam = await visitor();
        await beginAt(server, application, sam.page);
        await givePassword(sam.page, 'sam', password);
        await sam.page.locator('#start-enrollment').waitFor();
        await sam.close();
        return 1;
      },
    );
  });

  test('require a second factor of ten people with one attribute', async (context) => {
    const authPolicyId = await createPolicy(server, 'with an app', { secondary: { requireTotp: true } });
    for (let at = 0; at < 10; at += 1) {
      const id = await server.createUser({ name: `nurse ${at}`, password });
      assert.equal((await root.call('PATCH', `identities/${id}`, { roleAttributes: ['ward'] })).status, 200);
    }
    await take(context, 'Require a second factor of ten people with one attribute', async (hand, page) => {
      await hand.click(to('people'));
      await page.locator('#filter-role').fill('ward');
      await page.getByText('1 to 10 of 10').waitFor();
      await hand.click('#pick-page');
      await hand.click('#many');
      await hand.choose('#many-policy', authPolicyId);
      await hand.click('#many-check');
      await page.getByText('10 people would be asked for more than now.').waitFor();
      await hand.click('#many-do');
      await page.locator('#many-done').waitFor();
      assert.ok(hand.clicks <= 6, `${hand.clicks} clicks`);
      await page.keyboard.press('Escape');
      const nurse = await visitor();
      await beginAt(server, application, nurse.page);
      await givePassword(nurse.page, 'nurse 7', password);
      await nurse.page.locator('#start-enrollment').waitFor();
      await nurse.close();
      return 1;
    });
  });

  test('add people from a table, of whom one signs in', (context) =>
    take(context, 'Add people from a table, invite them, and one signs in', async (hand, page) => {
      await hand.click(to('people'));
      await hand.click('#import');
      const chooser = page.waitForEvent('filechooser');
      await hand.click('#csv');
      const csv =
        '\ufeffname;email;roleAttributes\r\nTábata Müller;tabata@example.com;table\r\nTed;;table\r\n';
      await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
      await hand.click('#import-check');
      await page.locator('#import-ready').waitFor();
      await hand.click('#import-add');
      await hand.click('#many');
      await hand.click('#many-check');
      await hand.click('#many-do');
      await page.locator('#many-done').waitFor();
      const [link = ''] = (await page.locator('#many-links').inputValue()).match(/https:\S+/) ?? [];
      await page.keyboard.press('Escape');
      const tabata = await visitor();
      const mouse = handAt(tabata.page);
      await tabata.page.goto(link);
      await tabata.page.fill('#password', chosen);
      await tabata.page.fill('#repeated', chosen);
      await mouse.click('#choose');
      await tabata.page.locator('#sign-out').waitFor();
      await tabata.close();
      return mouse.clicks;
    }));

  test('end a stolen session', async (context) => {
    await server.createUser({ name: 'victor', password });
    const stolen = await loggedIn(server, 'victor');
    await take(context, 'End a stolen session', async (hand, page) => {
      await hand.click(to('sessions'));
      await page.locator('#filter-person').fill('victor');
      await page.getByText('1 to 1 of 1').waitFor();
      await hand.click('tbody .button.danger');
      await hand.click('[role=alertdialog] button[type=submit]');
      await announced(page, 'The session has ended');
      assert.equal((await stolen.get('/edge/client/v1/current-identity')).status, 401);
      return 0;
    });
  });

  test('recover a lost authenticator', async (context) => {
    const authPolicyId = await createPolicy(server, 'with codes', { secondary: { requireTotp: true } });
    await withApp('lara', authPolicyId);
    await take(context, 'Recover a lost authenticator', async (hand, page) => {
      await page.locator('#find').fill('lara');
      await page.locator('#find').press('Enter');
      await hand.click('tbody a');
      await hand.click('#reset-mfa');
      await hand.click('#reset-mfa-confirm');
      await announced(page, 'The authenticator app is removed');
      return setUpAnew('lara');
    });
  });
});

/** A person with an authenticator app. */
async function withApp(name: string, authPolicyId: string): Promise<void> {
  const id = await server.createUser({ name, password });
  assert.equal((await root.call('PATCH', `identities/${id}`, { authPolicyId })).status, 200);
  const login = await partialLogin(server, name);
  const { json } = await startEnrollment(server, login);
  const app = scan(systemClock, json.provisioningUrl);
  assert.equal((await verifyEnrollment(server, login, app.code())).status, 302);
}

/** What a refused person sees and reads out, by what the console is to say of it. */
async function sixRefusals(): Promise<readonly (readonly [reason: string, reference: string])[]> {
  const refused = async (username: string, secret = password) =>
    referenceOf(await submitPassword(server, await beginLogin(server), username, secret));
  const idOf = (name: string) => server.createUser({ name, password });
  await idOf('wendy');
  assert.equal((await root.call('POST', `identities/${await idOf('dora')}/disable`, {})).status, 200);
  const policyWith = async (name: string, updb: object) =>
    createdId(await root.call('POST', 'auth-policies', { name, primary: { updb } }));
  const strict = await policyWith('one guess', { allowed: true, maxAttempts: 1 });
  const none = await policyWith('no passwords', { allowed: false });
  for (const [name, authPolicyId] of [
    ['luis', strict],
    ['nora', none],
  ] as const) {
    const id = await idOf(name);
    assert.equal((await root.call('PATCH', `identities/${id}`, { authPolicyId })).status, 200);
  }
  await refused('luis', 'not the password');
  const codes = await createPolicy(server, 'codes', { secondary: { requireTotp: true } });
  await withApp('carl', codes);
  return [
    ['Wrong password', await refused('wendy', 'not the password')],
    ['Unknown user name', await refused('wendi')],
    ['Account disabled', await refused('dora')],
    ['Locked', await refused('luis')],
    ['Method not allowed by the policy', await refused('nora')],
    ['Wrong code', referenceOf(await submitCode(server, await partialLogin(server, 'carl'), '000000'))],
  ];
}

/** From the address of a provider to a person who signs in there. @returns the clicks of that person */
async function connect(provider: OpenIdProvider, hand: Hand, page: Page): Promise<number> {
  await hand.click(to('signers'));
  await hand.click('#create');
  await page.locator('#address').fill(provider.issuer);
  await page.locator('#address').press('Enter');
  await page.locator('#found').waitFor();
  await page.locator('#field-clientId').fill(provider.clientId);
  await hand.click('#save');
  provider.register((await page.locator('#redirect-uri').textContent())?.match(/https:\S+/)?.[0] ?? '');
  const ana = await visitor();
  const mouse = handAt(ana.page);
  await beginAt(server, application, ana.page);
  await mouse.click('text=Continue with');
  await signInAtProvider(provider, ana.page, 'ana');
  await mouse.click('#continue');
  await assertLoggedIn(server, application, ana.page);
  await ana.close();
  return mouse.clicks;
}

/** Signs in with the password and sets up a new app. @returns the clicks of that person */
async function setUpAnew(name: string): Promise<number> {
  const { page, close } = await visitor();
  const mouse = handAt(page);
  await beginAt(server, application, page);
  await giveLogin(page, name);
  await mouse.click('#start-enrollment');
  const app = scan(systemClock, (await page.locator('#open-app').getAttribute('href')) ?? '');
  await mouse.click('#saved');
  await page.fill('#code', app.code());
  await mouse.click('#verify');
  await page.waitForURL(`${application.redirectUri}**`);
  await assertLoggedIn(server, application, page);
  await close();
  return mouse.clicks + 1;
}

test('the document says how many clicks each task takes', () => {
  const text = readFileSync(document, 'utf8');
  const [intro = ''] = text.split(/^\| (?!Task|---)/m);
  if (process.env.OVERLAY_AUTH_WRITE_DOCS === '1') {
    const rows = done.map(
      ({ task, administrator, person, seconds }) =>
        `| ${task} | ${administrator} | ${person} | ${seconds} |\n`,
    );
    writeFileSync(document, `${intro}${rows.join('')}`);
    return;
  }
  const said = [...text.matchAll(/^\| (.+) \| (\d+) \| (\d+) \| [\d.]+ \|$/gm)].map((row) => row.slice(1, 4));
  const counted = done.map(({ task, administrator, person }) => [
    task,
    String(administrator),
    String(person),
  ]);
  assert.deepEqual(counted, said, 'look at what changed, then run this test with OVERLAY_AUTH_WRITE_DOCS=1');
});
