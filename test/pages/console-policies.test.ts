// Simulated sign-ins, and the people affected by a policy before it is saved; in a real browser against a real controller.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type AuthPolicyId, asId, type SignerId } from '../../src/model/ids.ts';
import { screenshot, wide } from '../support/browser.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { personWithPasskey } from '../support/passkeys.ts';
import { startTestServer } from '../support/test-server.ts';
import { announced, assertClean, atConsole, colleague, held, phone } from './console-support.ts';

const admin = colleague(() => server, 'root');
const server = await startTestServer();
const root = await rootOf(server);
after(async () => {
  await admin.close();
  await server.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const passwordsOnly = { cert: { allowed: false }, extJwt: { allowed: false }, updb: { allowed: true } };

async function policyFor(name: string, people: readonly string[]): Promise<string> {
  const id = createdId(await root.call('POST', 'auth-policies', { name, primary: passwordsOnly }));
  for (const person of people) {
    const personId = await server.createUser({ name: person, password });
    const moved = await root.call('PATCH', `identities/${personId}`, { authPolicyId: id });
    assert.equal(moved.status, 200, moved.text);
  }
  return id;
}

test('says what a login would ask and refuse, by the saved policy and by an edited one', async () => {
  const id = await policyFor('staff', ['emma', 'john']);
  await using guest = await admin.at('/console/what-if');
  const { page } = guest;
  await page.locator('#pick').fill('emm');
  await page.getByRole('button', { name: 'emma', exact: true }).click();
  const answer = page.locator('#answer');
  await answer.filter({ hasText: 'Yes: with a password.' }).waitFor();
  await assertClean(guest);
  await page.locator('#edit').check();
  await page.locator('#field-secondary-requireTotp').check();
  await answer.filter({ hasText: 'Yes: with a password, then a code from an authenticator app.' }).waitFor();
  await page.locator('#preview').click();
  await page.getByText('2 people have this policy.').waitFor();
  await page.getByText('2 people would be asked for more than now.').waitFor();
  await page.getByText('No person would be locked out.').waitFor();

  await page.locator('#field-primary-updb-allowed').uncheck();
  await answer.filter({ hasText: 'No.' }).waitFor();
  // What was worked out before was of another draft.
  assert.equal(await page.locator('.impact').count(), 0);
  await page.locator('#preview').click();
  await page.getByText('2 people could no longer sign in:').waitFor();
  await page.locator('.impact').getByRole('link', { name: 'john' }).waitFor();
  await assertClean(guest);
  await screenshot(page, 'console-what-if-edited');
  await page.locator('#method').selectOption('cert');
  await page.waitForURL(/method=cert/);
  const saved = async () => (await root.get(`auth-policies/${id}`)).json.data;
  assert.equal((await saved()).secondary.requireTotp, false);

  // The edited rules stay for another person, until the administrator gives them up or saves them.
  await page.locator('#other-person').click();
  await page.locator('#pick').fill('joh');
  await page.getByRole('button', { name: 'john', exact: true }).click();
  await page.locator('#method').selectOption('');
  await page.locator('#field-primary-updb-allowed').check();
  await answer.filter({ hasText: 'Yes: with a password, then a code from an authenticator app.' }).waitFor();
  const ways = [
    () => page.locator('nav a[href="/console/policies"]').click(),
    () => page.locator('#policy').selectOption({ label: 'Default' }),
    () => page.locator('#edit').click(),
  ];
  for (const leave of ways) {
    await leave();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-secondary-requireTotp').isChecked(), true);
  }
  await page.locator('#save').click();
  await page.getByRole('alertdialog').getByText('2 people would be asked for more than now.').waitFor();
  await page.locator('#save-confirm').click();
  await announced(page, 'Saved');
  const { primary, secondary } = await saved();
  assert.deepEqual([primary.updb.allowed, secondary.requireTotp], [true, true]);
  await page.locator('#edit').click();
  await page.locator('#edited').waitFor({ state: 'detached' });
});

test('shows who is affected before a policy is saved, and saves it', async () => {
  const id = await policyFor('drivers', ['dora']);
  await using guest = await admin.at('/console/policies');
  const { page } = guest;
  await page.getByRole('link', { name: 'drivers' }).click();
  await page.getByText('Sign in with a password.', { exact: true }).waitFor();
  await page.locator('#field-secondary-requireTotp').check();
  await page.getByText('Sign in with a password, then a code from an authenticator app.').waitFor();
  await page.locator('#save').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('1 person would be asked for more than now.').waitFor();
  await assertClean(guest);
  await page.locator('#save-confirm').click();
  await announced(page, 'Saved');
  assert.equal((await root.get(`auth-policies/${id}`)).json.data.secondary.requireTotp, true);

  // Another administrator renames it and takes the code away, and here the length of passwords is changed.
  await page.locator('#field-primary-updb-minPasswordLength').fill('14');
  const theirs = { name: 'fleet', secondary: { requireTotp: false } };
  assert.equal((await root.call('PATCH', `auth-policies/${id}`, theirs)).status, 200);
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  const meanwhile = page.locator('#meanwhile');
  await meanwhile.getByText('fleet').waitFor();
  await meanwhile.getByText('A code from an authenticator app').waitFor();
  await assertClean(guest);
  await page.locator('#go-on').click();
  assert.equal(await page.locator('#field-name').inputValue(), 'fleet');
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  await heading(page, 'fleet').waitFor();
  // Shown as long as something is not saved.
  await page.locator('details.same').waitFor({ state: 'detached' });
  const merged = (await root.get(`auth-policies/${id}`)).json.data;
  assert.deepEqual([merged.primary.updb.minPasswordLength, merged.secondary.requireTotp], [14, false]);

  await page.locator('nav a[href="/console/policies"]').click();
  await page.locator('#create').click();
  await page.locator('#field-name').fill('fleet');
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  await page.locator('form.entity').getByRole('alert').waitFor();
  await page.locator('#field-name').fill('pilots');
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  await page.getByRole('heading', { level: 1, name: 'pilots' }).waitFor();
});

test('says before saving that no administrator could sign in', async () => {
  await using guest = await admin.at('/console/policies/default');
  const { page } = guest;
  await page.locator('#field-primary-updb-allowed').uncheck();
  await page.locator('#save').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('no administrator could sign in').waitFor();
  await assertClean(guest);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await root.get('auth-policies/default')).json.data.primary.updb.allowed, true);
});

test('asks before saving only after the person has answered whether to leave', async () => {
  const id = await policyFor('movers', []);
  await using guest = await admin.at(`/console/policies/${id}`);
  const { page } = guest;
  await page.locator('#field-name').fill('movers 2');
  const preview = await held(page, '**/auth-policies/preview');
  await page.locator('#save').click();
  await preview.asked;
  await page.locator('nav a[href="/console/nodes"]').click();
  await page.locator('#leave').waitFor();
  await preview.release();
  await page.locator('#save:not([aria-busy])').waitFor({ state: 'attached' });
  assert.equal(await page.locator('#save-confirm').count(), 0);
  await page.getByRole('button', { name: 'Stay here' }).click();
  await page.locator('#leave').waitFor({ state: 'detached' });
  await page.locator('#save-confirm').click();
  await announced(page, 'Saved');
  assert.equal((await root.get(`auth-policies/${id}`)).json.data.name, 'movers 2');
});

test('goes where the person wanted once it is saved, though the question whether to leave is open', async () => {
  const id = await policyFor('porters', []);
  await using guest = await admin.at(`/console/policies/${id}`);
  const { page } = guest;
  await page.locator('#field-name').fill('porters 2');
  await page.locator('#save').click();
  const change = await held(page, `**/auth-policies/${id}`);
  await page.locator('#save-confirm').click();
  await change.asked;
  await page.locator('nav a[href="/console/nodes"]').click();
  await page.locator('#leave').waitFor();
  await change.release();
  await heading(page, 'Nodes').waitFor();
  await page.locator('#leave').waitFor({ state: 'detached' });
  assert.equal((await root.get(`auth-policies/${id}`)).json.data.name, 'porters 2');
});

test('shows signers of an imported policy that are not here, so that they can be taken out', async () => {
  const id = await policyFor('imported', []);
  const gone = asId<SignerId>('not-here');
  const rules = { primary: { extJwt: { allowedSigners: [gone] } }, secondary: { requireExtJwt: gone } };
  await server.store.authPolicies.update(asId<AuthPolicyId>(id), rules, server.clock.now());
  await using guest = await admin.at(`/console/policies/${id}`);
  const { page } = guest;
  const required = page.locator('#field-secondary-requireExtJwt');
  assert.equal(await required.inputValue(), gone);
  await required.selectOption('');
  await page.locator(`#field-primary-extJwt-allowedSigners-${gone}`).uncheck();
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  await announced(page, 'Saved');
  const { primary, secondary } = (await root.get(`auth-policies/${id}`)).json.data;
  assert.deepEqual([primary.extJwt.allowedSigners, secondary.requireExtJwt], [[], null]);
});

test('says in plain words what a policy asks of passkeys, while it is edited', async () => {
  const id = await policyFor('keys', ['kay']);
  const change = { primary: { updb: { mustChangeAfter: '1440h' } } };
  assert.equal((await root.call('PATCH', `auth-policies/${id}`, change)).status, 200);
  await using guest = await admin.at(`/console/policies/${id}`);
  const { page } = guest;
  const sentences = page.locator('#sentences');
  await page.locator('#field-primary-passkey-allowed').check();
  await sentences.getByText('Sign in with a password or a passkey.', { exact: true }).waitFor();
  await page.locator('#field-primary-passkey-userVerification').selectOption('preferred');
  await sentences.getByText('A passkey need not ask for a PIN, a finger or a face.').waitFor();
  await page.locator('#field-secondary-requirePasskey').check();
  await sentences.getByText('Sign in with a password, then a passkey.', { exact: true }).waitFor();
  await page.locator('#field-primary-passkey-satisfiesSecondary').check();
  await sentences.getByText('Sign in with a passkey.', { exact: true }).waitFor();
  const age = page.getByLabel('Longest age of a password');
  assert.equal(await age.inputValue(), '60d');
  await age.fill('90d');
  await sentences.getByText('older than 90 days has to be replaced').waitFor();
  await sentences.getByText('A passkey counts as both factors').waitFor();
  await assertClean(guest);
  await screenshot(page, 'console-policy-passkeys');
  await page.setViewportSize(phone);
  await assertClean(guest);
  await screenshot(page, 'console-policy-passkeys-narrow');
});

test('deletes a policy without identities, and says why another one stays', async () => {
  const inUse = await policyFor('cleaners', ['carl']);
  const unused = await policyFor('nobody', []);
  await using guest = await admin.at(`/console/policies/${inUse}`);
  const { page } = guest;
  await page.locator('#delete').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('Delete cleaners?').waitFor();
  await assertClean(guest);
  await dialog.locator('#delete-confirm').click();
  await dialog.getByRole('alert').waitFor();
  assert.equal((await root.get(`auth-policies/${inUse}`)).status, 200);

  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('nav a[href="/console/policies"]').click();
  await page.getByRole('link', { name: 'nobody' }).click();
  await heading(page, 'nobody').waitFor();
  await page.locator('#delete').click();
  await page.locator('#delete-confirm').click();
  await announced(page, 'Deleted');
  await heading(page, 'Auth policies').waitFor();
  assert.equal((await root.get(`auth-policies/${unused}`)).status, 404);

  await page.getByRole('link', { name: 'Default', exact: true }).click();
  await page.locator('#save').waitFor();
  assert.equal(await page.locator('#delete').count(), 0);
});

test('leads back from a new and a deleted policy to the list, not to a form', async () => {
  await using guest = await admin.at('/console/policies');
  const { page } = guest;
  const back = async () => {
    await page.goBack();
    await heading(page, 'Auth policies').waitFor();
    await page.locator('tbody tr').first().waitFor();
  };
  await page.locator('#create').click();
  await page.locator('#field-name').fill('gardeners');
  await page.locator('#save').click();
  await page.locator('#save-confirm').click();
  await heading(page, 'gardeners').waitFor();
  await back();
  await page.getByRole('link', { name: 'gardeners' }).click();
  await page.locator('#delete').click();
  await page.locator('#delete-confirm').click();
  await announced(page, 'Deleted');
  await back();
});

test('shows in the audit trail what changed, field by field, in both languages on a narrow screen', async () => {
  const id = await policyFor('audited', ['ada']);
  const [ada] = (await root.get('identities?filter=name%20%3D%20%22ada%22')).json.data;
  const [own] = (await root.get(`identities/${ada.id}/authenticators`)).json.data;
  const secret = 'seven quiet lanterns';
  for (const [path, body] of [
    [
      `auth-policies/${id}`,
      { secondary: { requireTotp: true }, primary: { updb: { minPasswordLength: 14 } } },
    ],
    [`identities/${ada.id}`, { externalId: '<b>x</b>', disabledUntil: '2031-05-01T12:00:00Z' }],
    [`authenticators/${own.id}`, { password: secret }],
  ] as const) {
    const answer = await root.call('PATCH', path, body);
    assert.equal(answer.status, 200, answer.text);
  }
  const gone = createdId(await root.call('POST', 'config-types', { name: 'gone.v1' }));
  assert.equal((await root.call('DELETE', `config-types/${gone}`)).status, 200);
  await personWithPasskey(server);

  const narrow = { viewport: { width: 320, height: 700 } } as const;
  for (const [language, says] of [
    [
      'en',
      {
        code: 'No → Yes',
        none: 'External id: None → <b>x</b>',
        secret: 'Password: changed',
        type: 'config type',
        passkey: 'Passkey added',
      },
    ],
    [
      'de',
      {
        code: 'Nein → Ja',
        none: 'Externe Id: Keine → <b>x</b>',
        secret: 'Passwort: geändert',
        type: 'Konfigurationstyp',
        passkey: 'Passkey hinzugefügt',
      },
    ],
  ] as const) {
    await using guest = await atConsole(server, 'root', '/console/audit', { ...narrow, language });
    const { page } = guest;
    const rowOf = (text: string) => page.locator('tbody tr', { hasText: text }).first();
    const change = rowOf('12 → 14');
    await change.getByText(says.code).waitFor();
    await change.getByRole('link', { name: 'audited' }).waitFor();
    await rowOf(says.none).getByRole('link', { name: 'ada' }).waitFor();
    await rowOf('2031').waitFor();
    await rowOf(says.secret).waitFor();
    await rowOf(says.passkey).waitFor();
    const deleted = page.locator('tbody tr', { hasText: 'gone.v1' });
    assert.equal(await deleted.filter({ hasText: says.type }).count(), 2);
    assert.equal(await deleted.getByRole('link', { name: 'gone.v1' }).count(), 0);
    // Moved to another policy, which has a name.
    await rowOf('Default → audited').waitFor();
    const empty = page.locator('td:visible').filter({ hasNotText: /./ });
    assert.equal(await empty.count(), 0, 'no card has a label without a value');
    assert.equal((await page.content()).includes(secret), false);
    await assertClean(guest);
    await screenshot(page, `console-audit-${language}-narrow`);
    await page.setViewportSize(wide);
    await assertClean(guest);
    await screenshot(page, `console-audit-${language}`);
  }
});

test('lets a reader look, and change nothing; on a telephone in German', async () => {
  const policyId = await policyFor('guests', ['gina']);
  const readerId = await server.createUser({ name: 'reader', password });
  await root.call('PATCH', `identities/${readerId}`, { permissions: ['read'] });
  await loggedIn(server, 'reader');
  const options = { viewport: phone, language: 'de' } as const;
  await using guest = await atConsole(server, 'reader', `/console/policies/${policyId}`, options);
  const { page } = guest;
  await page.getByText('Anmeldung mit Passwort.', { exact: true }).waitFor();
  assert.equal(await page.locator('#save').count(), 0);
  const editable = 'main form :is(input, textarea):not([readonly], :disabled), main form select:enabled';
  assert.equal(await page.locator(editable).count(), 0);
  await assertClean(guest);
});
