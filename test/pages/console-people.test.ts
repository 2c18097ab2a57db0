// The console's view of people and of their login attempts, in a real browser against a real controller.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import { parseCertificate } from '../../src/platform/x509/x509.ts';
import { screenshot, type Visitor, visitor } from '../support/browser.ts';
import { enrolled, submitCertificate, withCertificate } from '../support/certificates.ts';
import { authority, client } from '../support/chains.ts';
import { audience, createSigner, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { authorizationQuery, beginLogin, obtainCode, redeem, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { listOf } from '../support/list-budget.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { personWithPasskey } from '../support/passkeys.ts';
import { goodClaims, startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';
import { announced, assertClean, atConsole, colleague, go, held, phone } from './console-support.ts';

const admin = colleague(() => server, 'root');
const germanAdmin = colleague(() => server, 'root', { viewport: phone, language: 'de' });
const server = await startTestServer({ signing: true });
const root = await rootOf(server);
after(async () => {
  await admin.close();
  await germanAdmin.close();
  await server.close();
});

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

/** As on a busy machine: what a page does with its next picture, such as moving the focus, waits for `letFramesGo`. */
const holdFrames = `{
  const { requestAnimationFrame } = globalThis;
  const held = [];
  globalThis.requestAnimationFrame = (draw) => held.push(draw);
  globalThis.letFramesGo = () => {
    globalThis.requestAnimationFrame = requestAnimationFrame;
    for (const draw of held) requestAnimationFrame(draw);
  };
}`;

describe('a person', () => {
  test('is found by name, user name, id, external id and reference', async () => {
    const id = await server.createUser({ name: 'Mary Shelley', username: 'frank', password });
    await root.call('PATCH', `identities/${id}`, { externalId: 'ext-1818' });
    const reference = await fail('frank');
    await using guest = await admin.at('/console/people');
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
  });

  test('shows why they cannot sign in, and is let in again', async () => {
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
    await using guest = await admin.at(`/console/people/${id}`);
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
    await page.locator('#end-sessions').click();
    await page.getByText('ends at once, in every application').waitFor();
    await page.locator('#end-sessions-confirm').click();
    await announced(page, 'The sessions have ended');
    const page1 = await server.store.apiSessions.list(
      listOf({ op: '=', field: 'identityId', value: id }),
      systemClock.now(),
    );
    assert.equal(page1.totalCount, 0);
    assert.doesNotMatch(await page.title(), /^[12]$/);
    assert.equal(await page.locator('main img, main script').count(), 0);
  });

  test('is invited by a link, on a telephone in German', async () => {
    const id = await server.createUser({ name: 'ida', password });
    await using guest = await germanAdmin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.locator('#answer').filter({ hasText: 'Ja: mit Passwort.' }).waitFor();
    await assertClean(guest);
    await page.locator('#invite').click();
    await page.locator('#invite-confirm').click();
    const link = (await page.getByRole('alertdialog').locator('.secret').textContent()) ?? '';
    await assertClean(guest);
    assert.equal(
      (await server.get(link.slice(server.url.length), { headers: { accept: 'text/html' } })).status,
      200,
    );
  });

  test('gets their link also when a field is changed, or Escape is pressed, while it is made', async () => {
    const id = await server.createUser({ name: 'iris', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    const isAsked = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    await page.route(`**/identities/${id}/invitation`, async (route) => {
      isAsked.resolve();
      await mayGoOn.promise;
      await route.continue();
    });
    await page.locator('#invite').click();
    await page.locator('#invite-confirm').click();
    await isAsked.promise;
    await page.locator('#invite-hours').fill('48');
    await page.keyboard.press('Escape');
    mayGoOn.resolve();
    await page.getByRole('alertdialog').locator('.secret').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
  });

  test('is not disabled by the Enter key that asks about it, when it is held, nor is the question closed', async () => {
    const id = await server.createUser({ name: 'heloise', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.locator('#disable').focus();
    await page.evaluate(holdFrames);
    await page.keyboard.down('Enter');
    await page.locator('#disable-confirm').waitFor();
    // The focus is still at the button that asks.
    await page.keyboard.down('Enter');
    await page.evaluate('letFramesGo()');
    await page.locator('#disable-time:focus').waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.locator('#disable-confirm').waitFor();
    assert.equal((await root.get(`identities/${id}`)).json.data.disabled, false);
    await page.keyboard.press('Enter');
    await announced(page, 'Disabled');
    assert.equal((await root.get(`identities/${id}`)).json.data.disabled, true);
  });

  test('stays enabled when that fails after the question was closed, which is said', async () => {
    const id = await server.createUser({ name: 'gustav', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    const isAsked = Promise.withResolvers<void>();
    const mayFail = Promise.withResolvers<void>();
    await page.route('**/disable', async (route) => {
      isAsked.resolve();
      await mayFail.promise;
      await route.abort('internetdisconnected');
    });
    await page.locator('#disable').click();
    await page.getByText('The account can no longer sign in.', { exact: true }).waitFor();
    await page.locator('#disable-confirm').click();
    await isAsked.promise;
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    mayFail.resolve();
    await announced(page, 'Disable: The server cannot be reached');
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('can be helped by helpers, unless they have more rights', async () => {
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
    await using guest = await atConsole(server, 'helper', `/console/people/${id}`);
    const { page } = guest;
    // They come as the screen learns what the helper may do.
    await eventually(
      () => page.locator('section:has(#actions) .buttons > button').allTextContents(),
      (offered) => offered.join() === 'Unlock,Invite',
    );
    await confirm(page, 'unlock');
    await page.locator('#answer').filter({ hasText: 'Yes' }).waitFor();
    await page.goto(`${server.url}/console/people/${readerId}`);
    await page.locator('#answer').filter({ hasText: 'No.' }).waitFor();
    assert.equal(await page.locator('#unlock').count(), 0);
  });
});

describe('the remedies for a refusal', () => {
  test('is offered on the attempt to those who may do it, and to no others', async () => {
    const cert = { allowed: true };
    const policy = { name: 'one guess', primary: { updb: { allowed: true, maxAttempts: 1 }, cert } };
    const authPolicyId = createdId(await root.call('POST', 'auth-policies', policy));
    const person = async (name: string, more: object = {}) => {
      const id = await server.createUser({ name, password });
      assert.equal((await root.call('PATCH', `identities/${id}`, more)).status, 200);
      return id;
    };
    await person('remedy locked', { authPolicyId });
    await fail('remedy locked');
    const off = await person('remedy off');
    await root.call('POST', `identities/${off}/disable`, {});
    await person('remedy superior', { permissions: ['read'], authPolicyId });
    await fail('remedy superior');
    const late = await enrolled(server, await person('remedy late'), { from: -2 * DAY, until: -DAY });
    const connection = withCertificate(server, late);
    const expired = await submitCertificate(connection);
    connection.closeConnections();
    const uris = { name: 'remedy wiki', type: 'public', redirectUris: ['https://wiki.example/callback'] };
    const client_id = createdId(await root.call('POST', 'oidc-clients', uris));
    const redirect_uri = 'https://wiki.example/other';
    const query = authorizationQuery({ client_id, redirect_uri });
    const unregistered = await server.get(`/oidc/authorization?${query}`);
    await using idp = await startTestIdp();
    const signer = await createSigner(root, idp, 'remedy idp');
    const unknown = await submitJwt(server, await tokenOf(server, idp, 'remedy newcomer'));
    const forOthers = await submitJwt(server, await tokenOf(server, idp, 'x', { aud: 'others' }));
    const stranger = await startTestIdp();
    const forged = await stranger.sign(
      goodClaims({ issuer: idp.issuer, audience, subject: 'x' }, server.clock),
    );
    const wronglySigned = await submitJwt(server, forged);
    await stranger.close();
    const strange = withCertificate(server, client({ issuer: authority() }));
    const untrusted = await submitCertificate(strange);
    strange.closeConnections();
    const bound = createdId(await root.call('POST', 'auth-policies', { name: 'bound', requireDpop: true }));
    await person('remedy unbound', { authPolicyId: bound });
    const unbound = await redeem(server, await obtainCode(server, 'remedy unbound', password));
    const referenceOf = ({ headers }: Answer) => String(headers['x-request-id']);
    const edit = 'Edit the policy default';
    const cases = [
      [await fail('remedy locked'), ['Unlock', 'Invite'], ['Unlock', 'Invite']],
      [
        referenceOf(await submitPassword(server, await beginLogin(server), 'remedy off', password)),
        ['Enable'],
        [],
      ],
      [await fail('remedy superior'), ['Unlock', 'Invite'], []],
      [referenceOf(expired), ['What they sign in with', edit], ['What they sign in with']],
      [referenceOf(unregistered), ['Allow this address'], []],
      [referenceOf(unknown), ['Add this person'], []],
      [referenceOf(forOthers), ['External JWT signers'], []],
      [referenceOf(wronglySigned), ['External JWT signers'], []],
      [await fail('remedy unknown'), ['People'], []],
      [referenceOf(untrusted), ['Third-party CAs'], []],
      [referenceOf(unbound), ['Edit the policy bound'], []],
    ] as const;
    for (const [viewer, permissions] of [
      ['remedy helper', ['helpdesk']],
      ['remedy reader', ['read']],
    ] as const)
      await person(viewer, { permissions });
    const viewers = [
      [await atConsole(server, 'root'), 1],
      [await atConsole(server, 'remedy helper'), 2],
      [await atConsole(server, 'remedy reader'), null],
    ] as const;
    for (const [guest, which] of viewers) {
      const { page } = guest;
      for (const each of cases) {
        await go(page, '/nodes');
        await go(page, `/attempts/${each[0]}`);
        await page.locator('ol.checks').waitFor();
        await page.waitForLoadState('networkidle');
        const offered = which === null ? [] : each[which];
        const buttons = page.locator('main section .buttons > *');
        for (const label of offered) await buttons.filter({ hasText: label }).waitFor();
        assert.equal(await buttons.count(), offered.length, `${each[0]}: ${await buttons.allTextContents()}`);
        if (each[0] !== referenceOf(expired)) continue;
        const facts = (await page.locator('main dl').allTextContents()).join();
        const { serialNumber, fingerprint256 } = parseCertificate(late.certPem);
        for (const text of ['Certificate ended', serialNumber.toLowerCase(), fingerprint256])
          assert.ok(facts.includes(text), facts);
        await assertClean(guest);
      }
      await guest.close();
    }
    await root.call('DELETE', `external-jwt-signers/${signer}`);
  });
});

describe('login attempts', () => {
  test('appear by themselves, and are filtered by the address', async () => {
    await server.createUser({ name: 'walter', password });
    await using guest = await admin.at('/console/attempts?person=walter&outcome=refused');
    const { page } = guest;
    await page.getByText('No sign-in attempt matches').waitFor();
    const reference = await fail('walter');
    await page.getByRole('cell', { name: reference }).waitFor();
    await loggedIn(server, 'walter');
    assert.equal(await page.locator('tbody tr').count(), 1);
    await page.locator('#filter-outcome').selectOption('passed');
    await page.waitForURL(/outcome=passed/);
    await page.getByRole('cell', { name: 'Passed' }).waitFor();
    await page.locator('#filter-person').fill('"quote\\ or true');
    await page.getByText('No sign-in attempt matches').waitFor();
    await page.locator('#clear-filters').click();
    await page.waitForURL(`${server.url}/console/attempts`);
    await page.getByRole('cell', { name: reference }).waitFor();
    await page.locator('#live').uncheck();
    await page.getByRole('button', { name: 'Person' }).click();
    await page.waitForURL(/sort=identityName\+asc/);
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { level: 1, name: /^Reference ID / }).waitFor();
    await page.goBack();
    assert.match(page.url(), /sort=identityName\+asc/);
  });

  test('are exported without a formula that a stranger wrote', async () => {
    const formula = '=HYPERLINK("https://evil.example","x")';
    await server.createUser({ name: formula, username: 'formula', password });
    // A second cell where semicolons separate them, as in a German spreadsheet; a wide sign, as in a Japanese one.
    await server.createUser({ name: 'x; =HYPERLINK(1);y', username: 'second', password });
    await server.createUser({ name: '\uff1dHYPERLINK(2)', username: 'wide', password });
    for (const username of ['wide', 'second', 'formula']) await fail(username);
    await using guest = await admin.at('/console/attempts?person=HYPERLINK');
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
  });
});

/** Writes what a button saves to a file. */
async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()]);
  return readFileSync(await download.path(), 'utf8');
}

const detailOf = async (id: string) => (await root.get(`identities/${id}`)).json.data;
const openOf = async (id: string) => (await root.get(`identities/${id}/enrollments`)).json.data;

describe('managing people', () => {
  test('adds a person by the keyboard alone, with an invitation that lets them in', async () => {
    await using guest = await admin.at('/console/people');
    const { page } = guest;
    await page.locator('#create').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Add a person' }).waitFor();
    await page.locator('#field-name').focus();
    await page.keyboard.type('Zoe Quiet');
    await page.locator('#field-roleAttributes').focus();
    await page.keyboard.type('sales');
    await page
      .locator('form figure', { hasText: 'Command' })
      .getByText("overlay-auth create identity 'Zoe Quiet' --type User --role-attributes sales", {
        exact: true,
      })
      .waitFor({ state: 'attached' });
    await assertClean(guest);
    await page.locator('#save').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Zoe Quiet was added' }).waitFor();
    const link = (await page.locator('.secret').textContent()) ?? '';
    await page.locator('#show-qr').press('Enter');
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-added');
    assert.equal(await saved(page, '#download-made'), link);

    const zoe = await visitor();
    await zoe.page.goto(link);
    for (const field of ['#password', '#repeated']) await zoe.page.fill(field, 'eleven loud umbrellas');
    await zoe.page.click('#choose');
    await zoe.page.locator('#sign-out').waitFor();
    await zoe.close();
    await page.locator('#open-person').press('Enter');
    await page.locator('#answer').filter({ hasText: 'Yes: with a password.' }).waitFor();
  });

  test('keeps a person who was added when there is nothing to invite them to', async () => {
    const policy = { name: 'tokens only', primary: { updb: { allowed: false }, cert: { allowed: false } } };
    createdId(await root.call('POST', 'auth-policies', policy));
    // A console that is open already would learn of the new policy only after some seconds.
    await using guest = await atConsole(server, 'root', '/console/people/new');
    const { page } = guest;
    await page.locator('#field-name').fill('tom token');
    await page.locator('#field-authPolicyId').selectOption({ label: 'tokens only' });
    await page.locator('#save').click();
    await page.getByRole('alert').getByText('allows neither passwords nor passkeys').waitFor();
    await assertClean(guest);
    await page.locator('#open-person').click();
    await page.getByRole('heading', { level: 1, name: 'tom token' }).waitFor();
  });

  test('makes no invitation that is never shown when a person is still being added on another screen', async () => {
    await using guest = await admin.at('/console/people/new');
    const { page } = guest;
    await page.locator('#field-name').fill('Left Behind');
    const creation = await held(page, '**/identities');
    await page.locator('#save').click();
    await creation.asked;
    await page.locator('nav a[href="/console/nodes"]').click();
    await page.locator('#leave').click();
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await creation.release();
    await announced(page, 'Created');
    await go(page, '/people?q=Left+Behind');
    await page.getByRole('link', { name: 'Left Behind' }).click();
    await page.locator('#invite').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    assert.deepEqual(await openOf(id), []);
    const invitations = (await root.get('invitations?limit=500')).json.data;
    assert.ok(!JSON.stringify(invitations).includes(id));
  });

  test('says in German that something before the server refused what it was sent', async () => {
    await using guest = await germanAdmin.at('/console/people/new');
    const { page } = guest;
    await page.locator('#field-name').fill('Groß');
    const body = '<html><h1>Request Entity Too Large</h1></html>';
    for (const [status, words] of [
      [413, 'zu groß'],
      [400, 'Das hat nicht geklappt'],
    ] as const) {
      await page.route('**/edge/management/v1/identities', (route) =>
        route.fulfill({ status, contentType: 'text/html', body }),
      );
      await page.locator('#save').click();
      await page.getByRole('alert').getByText(words).waitFor();
      assert.doesNotMatch(await page.innerText('main'), /status/);
      await page.unrouteAll();
    }
    await page.locator('#field-name').fill('');
    await go(page, '/nodes');
  });

  test('is read again before its form is opened again, so that typing at once is no conflict', async () => {
    const id = await server.createUser({ name: 'uma', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.locator('#edit').click();
    await page.locator('#field-externalId').waitFor();
    await go(page, `/people/${id}`);
    assert.equal((await root.call('PATCH', `identities/${id}`, { roleAttributes: ['night'] })).status, 200);
    await page.locator('#edit').click();
    await page.locator('#field-externalId').fill('uma@example');
    await page.locator('#save').click();
    await announced(page, 'Saved');
    const { externalId, roleAttributes } = await detailOf(id);
    assert.deepEqual([externalId, roleAttributes], ['uma@example', ['night']]);
  });

  test('changes what they may do, asks for a new password, and deletes them', async () => {
    const id = await server.createUser({ name: 'vera', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.locator('#edit').click();
    await page.locator('#field-right').selectOption('helpdesk');
    await page.locator('#field-passwordMustChange').check();
    await page.locator('#field-externalId').fill('vera@example');
    await page
      .getByText(
        `overlay-auth update identity ${id} --external-id vera@example --permission helpdesk --password-must-change`,
      )
      .waitFor({ state: 'attached' });
    await assertClean(guest);
    assert.equal((await root.call('PATCH', `identities/${id}`, { name: 'vera v.' })).status, 200);
    await page.locator('#save').click();
    await page.locator('#meanwhile').getByText('vera v.').waitFor();
    await page.locator('#go-on').click();
    await page.locator('#save').click();
    await page.getByRole('heading', { level: 1, name: 'vera v.' }).waitFor();
    await page.getByText('Asked for at the next sign-in').waitFor();
    await page.getByText('May help', { exact: true }).waitFor();
    await assertClean(guest);
    const { name, permissions, externalId, passwordMustChange } = await detailOf(id);
    assert.deepEqual(
      [name, permissions, externalId, passwordMustChange],
      ['vera v.', ['helpdesk'], 'vera@example', true],
    );

    await page.locator('#delete').click();
    await page.getByRole('alertdialog').getByText('is deleted. This cannot be undone.').waitFor();
    await assertClean(guest);
    await page.locator('#delete-confirm').click();
    await announced(page, 'Deleted');
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    assert.equal((await root.get(`identities/${id}`)).status, 404);
  });

  test('are named on the overview while their invitation is open', async () => {
    const id = await server.createUser({ name: 'ivo', password });
    createdId(await root.call('POST', 'enrollments', { identityId: id, method: 'ott' }));
    assert.equal((await root.call('POST', `identities/${id}/invitation`, {})).status, 201);
    await using guest = await admin.at('/console');
    const soon = guest.page.locator('section:has(#ends)');
    await soon.getByText('Enrollment of ivo').waitFor();
    await assertClean(guest);
    await soon.getByText('Invitation of ivo').click();
    await guest.page.getByRole('heading', { level: 1, name: 'ivo' }).waitFor();
  });

  test('administrators are on the overview below the signers that can name them', async () => {
    const names = {
      en: 'Signers and CAs that can name an administrator',
      de: 'Signer und CAs, die Administratoren benennen können',
    };
    const made = await root.call('POST', 'external-jwt-signers', {
      name: 'Names by id',
      enabled: true,
      issuer: 'https://names.example',
      audience: 'a',
      jwksEndpoint: 'https://names.example/keys',
    });
    const { namedBy } = (await root.get('administrators/named-by')).json.data;
    const { administrators } = namedBy.find(
      ({ issuer }: { issuer: { id: string } }) => issuer.id === createdId(made),
    );
    const shown = administrators.map(({ name }: { name: string }) => name).join(', ');
    assert.notEqual(shown, '');
    for (const [one, title] of [
      [admin, names.en],
      [germanAdmin, names.de],
    ] as const) {
      await using guest = await one.at('/console');
      const card = guest.page.locator('section:has(#namers)');
      await card.getByText(title).waitFor();
      await card.getByText(shown).waitFor();
      await assertClean(guest);
      await card.getByText('Names by id').click();
      await guest.page.getByRole('heading', { level: 1, name: 'Names by id' }).waitFor();
    }
    await root.call('DELETE', `external-jwt-signers/${createdId(made)}`);
  });

  test('keeps them out until a time, which is changed beside them and in the form', async () => {
    const id = await server.createUser({ name: 'udo', password });
    await using guest = await germanAdmin.at(`/console/people/${id}`);
    const { page } = guest;
    const ends = async () => (await detailOf(id)).disabledUntil;
    /** A day of this year or the next, by the clock of the browser. */
    const noonOf = (day: number) => {
      const time = new Date(Date.now() + day * DAY);
      return `${time.toISOString().slice(0, 10)}T12:00`;
    };
    const asTime = (local: string) => page.evaluate(`new Date('${local}').toISOString()`);
    await page.locator('#disable').click();
    await page.locator('#disable-time').fill(noonOf(-3));
    await page.locator('#disable-confirm').click();
    await page.getByRole('alert').getByText('muss in der Zukunft liegen').waitFor();
    await page.locator('#disable-time').fill(noonOf(3));
    const command = `overlay-auth identity disable ${id} --until ${await asTime(noonOf(3))}`;
    await page.getByText(command).waitFor({ state: 'attached' });
    await assertClean(guest);
    await page.locator('#disable-confirm').click();
    await page.locator('#until').click();
    assert.equal(await page.locator('#until-time').inputValue(), noonOf(3));
    assert.equal(await ends(), await asTime(noonOf(3)));
    await page.locator('#until-time').fill(noonOf(5));
    await page.locator('#until-confirm').click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.equal(await ends(), await asTime(noonOf(5)));

    await page.locator('#edit').click();
    assert.equal(await page.locator('#field-disabledUntil').inputValue(), noonOf(5));
    await page.locator('#field-disabledUntil').fill('');
    const update = `overlay-auth update identity ${id} --disabled-until`;
    await page.getByText(update).waitFor({ state: 'attached' });
    await assertClean(guest);
    await page.locator('#save').click();
    await page.locator('#until').waitFor();
    assert.equal(await ends(), null);
    assert.equal((await detailOf(id)).disabled, true);

    await page.locator('#edit').click();
    await page.locator('#field-disabled').uncheck();
    await page.locator('#save').click();
    await page.locator('#disable').waitFor();
    await loggedIn(server, 'udo');
    await page.locator('#edit').click();
    await page.locator('#field-disabled').check();
    await page.locator('#field-disabledUntil').fill(noonOf(4));
    await page.locator('#save').click();
    await page.getByRole('alertdialog').getByText('enden sofort').waitFor();
    await page.locator('#save-confirm').click();
    await page.locator('#enable').waitFor();
    assert.equal(await ends(), await asTime(noonOf(4)));
  });

  test('is kept out until the year that is typed, also where clocks once had their own minutes', async () => {
    const id = await server.createUser({ name: 'vera', password });
    const year = new Date(Date.now()).getUTCFullYear() + 1;
    const until = { disabled: true, disabledUntil: `${year}-12-24T10:00:00.000Z` };
    assert.equal((await root.call('PATCH', `identities/${id}`, until)).status, 200);
    await using guest = await germanAdmin.at(`/console/people/${id}`);
    const { page } = guest;
    const browser = await page.context().newCDPSession(page);
    await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
    await page.locator('#edit').click();
    const field = page.locator('#field-disabledUntil');
    assert.equal(await field.inputValue(), `${year}-12-24T11:00`);
    await field.focus();
    // To the year, past day and month.
    for (const key of ['Tab', 'Tab', ...String(year + 1)]) await page.keyboard.press(key);
    assert.equal(await field.inputValue(), `${year + 1}-12-24T11:00`);
    await page.locator('#save').click();
    await page.locator('#edit').waitFor();
    assert.equal((await detailOf(id)).disabledUntil, `${year + 1}-12-24T10:00:00.000Z`);
    await browser.detach();
  });

  test('keeps the tags that were not touched unchanged', async () => {
    const id = await server.createUser({ name: 'tagged', password });
    const tags = { floor: 3, keys: true, note: 'two\nlines', team: 'blue' };
    await root.call('PATCH', `identities/${id}`, { tags });
    await using guest = await admin.at(`/console/people/${id}/edit`);
    const { page } = guest;
    const field = page.locator('#field-tags');
    await field.fill((await field.inputValue()).replace('team=blue', 'team=red'));
    await page.locator('#save').click();
    await page.getByRole('heading', { level: 1, name: 'tagged' }).waitFor();
    await page.locator('#edit').waitFor();
    assert.deepEqual((await detailOf(id)).tags, { ...tags, team: 'red' });
  });

  test('asks before the last administrator loses that right', async () => {
    const [me] = (await root.get('identities?filter=name%20%3D%20%22root%22')).json.data;
    await using guest = await admin.at(`/console/people/${me.id}/edit`);
    const { page } = guest;
    await page.locator('#field-right').selectOption('read');
    await page.locator('#save').click();
    await page.getByRole('alertdialog').getByText('can no longer administer').waitFor();
    await page.locator('#save-confirm').click();
    await page.locator('#save-forced').waitFor();
    await assertClean(guest);
    assert.equal((await detailOf(me.id)).isAdmin, true);
  });

  test('gets a name that passes for another only if the administrator insists', async () => {
    for (const name of ['Boss', 'Chief']) await server.createUser({ name, password });
    await using guest = await admin.at('/console/people/new');
    const { page } = guest;
    await page.locator('#field-name').fill('BOSS');
    await page.locator('#save').click();
    await page.locator('.failure').getByText('passes for a name of the identity "Boss"').waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /force/);
    await assertClean(guest);
    // An administrator who types another name has not insisted on that one.
    await page.locator('#field-name').fill('BOSs');
    await page.locator('#save-forced').waitFor({ state: 'detached' });
    await page.locator('#save').click();
    await page.locator('#save-forced').click();
    await page.locator('#open-person').click();
    await page.locator('#set-password').click();
    await page.locator('#new-username').fill('chіef');
    await page.locator('#new-password').fill('eleven loud umbrellas');
    await page.locator('#set-password-confirm').click();
    await page.getByRole('alertdialog').getByText('passes for a name of the identity "Chief"').waitFor();
    await page.locator('#new-username').fill('сhief');
    await page.locator('#set-password-forced').waitFor({ state: 'detached' });
    await page.locator('#set-password-confirm').click();
    await page.locator('#set-password-forced').click();
    await announced(page, 'The password is set');
    // Another button of that name stands in place of the one that opened the dialog.
    await page.locator('#set-password:focus').waitFor();
  });

  test('enrolls a device by a file, renews that and withdraws it, and a link too', async () => {
    const id = await server.createUser({ name: 'walt device', password });
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.getByText('Nothing is open.').waitFor();
    await page.locator('#enroll').click();
    await page.locator('#enroll-method').selectOption('ott');
    await page.locator('#enroll-confirm').click();
    const token = (await page.getByRole('alertdialog').locator('.secret').textContent()) ?? '';
    assert.match(token, /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/);
    await assertClean(guest);
    assert.equal(await saved(page, '#download-made'), token);
    await page.keyboard.press('Escape');
    const [first] = await openOf(id);
    // It is signed anew for each who reads it.
    const saidIn = (jwt: string) => jwt.split('.').slice(0, 2);
    assert.deepEqual(saidIn(first.jwt), saidIn(token));

    await confirm(page, `renew-${first.id}`);
    await announced(page, 'Renewed');
    await page.locator(`#hand-out-${first.id}`).click();
    const next = (await page.getByRole('alertdialog').locator('.secret').textContent()) ?? '';
    assert.notDeepEqual(saidIn(next), saidIn(token));
    await assertClean(guest);
    await page.keyboard.press('Escape');

    await page.goto(`${server.url}/console/enrollments?person=${id}`);
    await page.getByRole('link', { name: 'walt device' }).waitFor();
    await assertClean(guest);
    await confirm(page, `withdraw-${first.id}`);
    await page.getByText('No enrollment matches.').waitFor();
    assert.deepEqual(await openOf(id), []);

    const invite = async () =>
      assert.equal((await root.call('POST', `identities/${id}/invitation`, {})).status, 201);
    await invite();
    await page.locator('#filter-kind').selectOption('invitation');
    const row = page.locator('tbody tr', { hasText: 'walt device' });
    await row.getByRole('link', { name: 'root' }).waitFor();
    await assertClean(guest);
    await confirm(page, `withdraw-${id}`);
    await page.getByText('No invitation matches.').waitFor();
    assert.equal((await detailOf(id)).invitation, null);

    await invite();
    await go(page, `/people/${id}`);
    await page.getByText('The link works until').waitFor();
    await confirm(page, 'withdraw-link');
    await page.getByText('Nothing is open.').waitFor();
    assert.equal((await detailOf(id)).invitation, null);
  });

  test('removes authenticators of a person, and asks for a new certificate first', async () => {
    const id = await server.createUser({ name: 'xena', password });
    const { certPem } = client({ subject: 'xena', issuer: authority({ subject: 'somebody' }) });
    const certId = createdId(
      await root.call('POST', 'authenticators', { method: 'cert', identityId: id, certPem }),
    );
    await using guest = await admin.at(`/console/people/${id}`);
    const { page } = guest;
    await page.locator(`#replace-${certId}`).click();
    await page.getByRole('alertdialog').getByLabel('With a new key').check();
    await assertClean(guest);
    await page.locator(`#replace-${certId}-confirm`).click();
    await page.getByText('Asked for a new certificate', { exact: true }).waitFor();
    await page.locator('nav a[href="/console/certificates"]').click();
    const row = page.locator('tbody tr', { hasText: 'xena' });
    await row.getByText('Soon').waitFor();
    await assertClean(guest);
    await row.getByRole('link').click();
    const { isExtendRequested, isKeyRollRequested } = (await root.get(`authenticators/${certId}`)).json.data;
    assert.deepEqual([isExtendRequested, isKeyRollRequested], [true, true]);
    await confirm(page, `remove-${certId}`);
    await announced(page, 'Removed');
    assert.equal((await root.get(`authenticators/${certId}`)).status, 404);
    const [passwordOf] = (await root.get(`identities/${id}/authenticators`)).json.data;
    await confirm(page, `remove-${passwordOf.id}`);
    await page.locator('#answer').filter({ hasText: 'No.' }).waitFor();
  });
});

test('the passkeys of a person are listed and removed, also on a telephone in German', async () => {
  const { id, name } = await personWithPasskey(server);
  await using guest = await admin.at(`/console/people/${id}`);
  const { page } = guest;
  await page.getByText('Passkey Pixel 9', { exact: true }).waitFor();
  await page.getByText('On one device or security key only.').waitFor();
  const german = await germanAdmin.at(`/console/people/${id}`);
  await german.page.getByText('Nur auf einem Gerät oder Sicherheitsschlüssel.').waitFor();
  await assertClean(german);
  await screenshot(german.page, 'console-passkey-german');
  await german.close();
  const [passkey] = await server.store.passkeys.listOf([id]);
  assert.ok(passkey);
  await page.locator(`#remove-${passkey.id}`).click();
  await page.getByText(`Remove the passkey Pixel 9 of ${name}?`).waitFor();
  await page
    .getByText(`overlay-auth identity passkeys ${id} --remove ${passkey.id}`)
    .waitFor({ state: 'attached' });
  await assertClean(guest);
  await screenshot(page, 'console-passkey-remove');
  await page.locator(`#remove-${passkey.id}-confirm`).click();
  await announced(page, 'Removed');
  await page.getByText('Passkey Pixel 9', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(await server.store.passkeys.listOf([id]), []);
});

describe('rights', () => {
  test('are listed with what each allows, and people by a role attribute', async () => {
    for (const [name, more] of [
      ['right reader', { permissions: ['read'], roleAttributes: ['night shift'] }],
      ['right helper', { permissions: ['read', 'helpdesk'] }],
      ['right nobody', { roleAttributes: ['night', 'shift'] }],
    ] as const) {
      const id = await server.createUser({ name, password });
      assert.equal((await root.call('PATCH', `identities/${id}`, more)).status, 200);
    }
    await using guest = await admin.at('/console/permissions?q=right');
    const { page } = guest;
    await page.getByText('1 to 2 of 2').waitFor();
    for (const [right, name] of [
      ['helpdesk', 'right helper'],
      ['read', 'right reader'],
    ] as const) {
      await page.locator('#filter-right').selectOption(right);
      await page.getByText('1 to 1 of 1').waitFor();
      await page.getByRole('link', { name }).waitFor();
    }
    await assertClean(guest);
    await page.locator('nav a[href="/console/people"]').click();
    await page.locator('#filter-role').fill('night shift');
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByRole('link', { name: 'right reader' }).waitFor();
  });
});

describe('sessions', () => {
  test('of a person say so where more are live than are shown', async () => {
    const id = await server.createUser({ name: 'yves', password });
    for (const _ of [1, 2]) await loggedIn(server, 'yves');
    await using guest = await atConsole(server, 'root');
    const { page } = guest;
    await page.route('**/api-sessions?**', (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }),
    );
    await go(page, `/people/${id}`);
    await page.locator('section:has(#sessions)').getByText('1 to 1 of 2').waitFor();
    await assertClean(guest);
  });

  test('are found by person, and one of them is ended', async () => {
    const id = await server.createUser({ name: 'yuri', password });
    const [one, other] = [await loggedIn(server, 'yuri'), await loggedIn(server, 'yuri')];
    await using guest = await admin.at('/console/sessions?person=yuri');
    const { page } = guest;
    await page.getByText('1 to 2 of 2').waitFor();
    await assertClean(guest);
    const [latest] = (await root.get(`identities/${id}/api-sessions?sort=createdAt%20desc`)).json.data;
    await confirm(page, `end-${latest.id}`);
    await page.getByText('1 to 1 of 1').waitFor();
    const statuses = await Promise.all(
      [one, other].map(async ({ get }) => (await get('/edge/client/v1/current-identity')).status),
    );
    assert.deepEqual(statuses, [200, 401]);
    const csv = await saved(page, '#export-csv');
    assert.match(
      csv,
      /^Person,Browser or program,Application,Mechanism,Signed in,Signed in from,Last used,Last used from,Ends\r\nyuri,/,
    );
    await page.locator('#filter-program').fill('no such program');
    await page.waitForURL(/program=no\+such\+program/);
    await page.getByText('No session matches.').waitFor();
    await page.locator('#clear-filters').click();
    await page.locator('#filter-kind').selectOption('browser');
    await page.waitForURL(/kind=browser/);
    await page.getByText('There are none yet.').waitFor();
    await assertClean(guest);
  });

  test('one that has ended meanwhile leaves the list when it is to be ended, and that is said', async () => {
    const id = await server.createUser({ name: 'yara', password });
    for (const _ of [1, 2]) await loggedIn(server, 'yara');
    await using guest = await admin.at('/console/sessions?person=yara');
    const { page } = guest;
    await page.getByText('1 to 2 of 2').waitFor();
    const [latest] = (await root.get(`identities/${id}/api-sessions`)).json.data;
    assert.equal((await root.call('DELETE', `api-sessions/${latest.id}`)).status, 200);
    await confirm(page, `end-${latest.id}`);
    await announced(page, /There is nothing here/);
    await page.getByText('1 to 1 of 1').waitFor();
  });
});

describe('every screen about people', () => {
  let seen = 0;
  const at = async (): Promise<readonly (readonly [path: string, shows: string])[]> => {
    seen += 1;
    const name = `seen ${seen}`;
    const id = await server.createUser({ name, password });
    const enrollment = { identityId: id, method: 'ott' };
    createdId(await root.call('POST', 'enrollments', enrollment));
    await root.call('POST', `identities/${id}/invitation`, {});
    const json = { username: name, password, sdkInfo: { appId: `<img/src=x>${'W'.repeat(99)}` } };
    assert.equal((await server.post('/edge/client/v1/authenticate?method=password', { json })).status, 200);
    return [
      [`/people/${id}`, 'section:has(#sessions) .entries'],
      [`/people/${id}/edit`, '#field-name'],
      ['/people/new', '#field-name'],
      ['/enrollments', 'tbody'],
      ['/permissions', 'tbody'],
      ['/nodes', 'tbody'],
      ['/certificates', '#filter-person'],
      [`/audit?${new URLSearchParams({ person: id })}`, 'tbody'],
      ['/enrollments?kind=invitation', 'tbody'],
      [`/sessions?${new URLSearchParams({ person: name })}`, 'tbody'],
    ];
  };

  const assertAllClean = async (guest: Visitor) => {
    for (const [path, shows] of await at()) {
      await go(guest.page, path);
      await guest.page.locator(shows).first().waitFor();
      await assertClean(guest);
    }
    await guest.close();
  };

  test('is clean on a telephone in German', async () => {
    await assertAllClean(await germanAdmin.at('/console'));
  });

  test('is clean at 200 % zoom in the dark', async () => {
    const guest = await admin.at('/console');
    await guest.page.setViewportSize({ width: 640, height: 400 });
    await guest.page.emulateMedia({ colorScheme: 'dark' });
    await assertAllClean(guest);
  });

  test('offers readers and helpers exactly what they may do', async () => {
    const paths = await at();
    const offered = async (permission: 'read' | 'helpdesk') => {
      const name = `may ${permission}`;
      const id = await server.createUser({ name, password });
      await root.call('PATCH', `identities/${id}`, { permissions: [permission] });
      const guest = await atConsole(server, name);
      const { page } = guest;
      const found: string[][] = [];
      for (const [path, shows] of paths) {
        await go(page, path);
        await page
          .locator(path === '/people/new' ? '[role=alert]' : shows)
          .first()
          .waitFor();
        await page.locator('#right').waitFor();
        await assertClean(guest);
        const isEnding = permission === 'helpdesk' && path.startsWith('/sessions');
        const isWithdrawing = permission === 'helpdesk' && path.endsWith('invitation');
        if (isEnding || isWithdrawing) await page.locator('tbody button').first().waitFor();
        const buttons = await page
          .locator('main :is(a.button, button.button:not(.link)):not(.pages *, search *)')
          .allTextContents();
        found.push([...new Set(buttons)].filter((text) => !text.startsWith('Export')));
        const editable =
          'main form :is(input, textarea):not([readonly], :disabled), main form select:enabled';
        assert.equal(await page.locator(editable).count(), 0, path);
        if (!isEnding) continue;
        await page.locator('#filter-person').fill('root');
        await page.locator('tbody tr', { hasText: 'seen' }).waitFor({ state: 'detached' });
        await page.locator('tbody tr', { hasText: 'root' }).first().waitFor();
        assert.equal(await page.locator('tbody button').count(), 0, 'of an administrator');
      }
      await guest.close();
      return found;
    };
    assert.deepEqual(
      await offered('read'),
      paths.map(() => []),
    );
    assert.deepEqual(await offered('helpdesk'), [
      ['Invite', 'End all sessions', 'Withdraw', 'End'],
      ...[[], [], [], [], [], [], []],
      ['Withdraw'],
      ['End'],
    ]);
  });
});
