// What is connected (applications, external JWT signers, third-party CAs) in the console: a real browser against a real
// controller. One server for all of it.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { MINUTE } from '../../src/platform/clock.ts';
import { screenshot, type Visitor } from '../support/browser.ts';
import { authority, makeCertificate } from '../support/chains.ts';
import { createIdentity, createSigner, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { claimsOf } from '../support/flow.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { startMessageReceiver } from '../support/message-receiver.ts';
import { loginAt, registerClient } from '../support/oidc-clients.ts';
import { createSignerOf, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { eventually, until } from '../support/until.ts';
import {
  announced,
  assertClean,
  atConsole,
  colleague,
  giveLogin,
  go,
  held,
  phone,
} from './console-support.ts';
import { signInAtProvider } from './support.ts';

const admin = colleague(() => server, 'root');
const [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
const root = await rootOf(server);
after(async () => {
  await admin.close();
  await Promise.all([server.close(), idp.close()]);
});

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
const sample = (page: Page, name: string) => page.locator('form.entity figure', { hasText: name });

/** The button or form that had the focus is gone, and the keyboard goes on around it. */
const keepsPlace = (page: Page) => page.locator('main:focus, main :focus').waitFor();

/** Makes a click that opens a question, looks at it, and agrees. */
async function agree(guest: Visitor, button: string, ends: string | RegExp): Promise<void> {
  const { page } = guest;
  await page.locator(`#${button}`).click();
  await page.getByRole('alertdialog').getByText(ends).waitFor();
  await assertClean(guest);
  await page.locator(`#${button}-confirm`).click();
}

test('an untouched overview says how to begin, until an application is registered from a template', async () => {
  const narrow = await atConsole(server, 'root', '/console', { viewport: phone, language: 'de' });
  await narrow.page.locator('#begin-register').waitFor();
  await assertClean(narrow);
  await screenshot(narrow.page, 'console-begin-phone');
  const guest = await admin.at('/console');
  const { page } = guest;
  for (const [way, title] of [
    ['invite', 'Add a person'],
    ['connect', 'Connect a provider'],
    ['register', 'Register an application'],
  ] as const) {
    await page.locator(`#begin-${way}`).click();
    await heading(page, title).waitFor();
    if (way !== 'register') await go(page, '/');
  }
  await page.locator('#template').selectOption('grafana');
  await page.locator('#template-address').fill('https://grafana.example.com/');
  assert.equal(await page.locator('#field-name').inputValue(), 'Grafana');
  await assertClean(guest);
  await screenshot(page, 'console-template');
  await page.locator('#save').click();
  await heading(page, 'Grafana is registered').waitFor();
  const { id, ...saved } = (await root.get('oidc-clients')).json.data[0];
  const settings = (await page.locator('section:has(#settings) pre').textContent()) ?? '';
  const issuer = `${server.url}/oidc`;
  for (const line of [
    `client_id = ${id}`,
    `token_url = ${issuer}/token`,
    `api_url = ${issuer}/userinfo`,
    'client_secret = CLIENT_SECRET',
    'groups_attribute_path = groups',
  ]) {
    assert.ok(settings.split('\n').includes(line), line);
  }
  assert.deepEqual(saved.redirectUris, ['https://grafana.example.com/login/generic_oauth']);
  assert.deepEqual(saved.scopes, ['openid', 'profile', 'email', 'groups']);
  assert.equal(saved.clientUri, 'https://grafana.example.com');
  assert.equal(saved.tokenEndpointAuthMethod, 'client_secret_basic');
  assert.match((await page.locator('.secret').textContent()) ?? '', /^[\w-]{43}$/);
  await assertClean(guest);
  await screenshot(page, 'console-template-settings');
  for (const { page: overview } of [guest, narrow]) {
    await go(overview, '/nodes');
    await go(overview, '/');
    await overview.locator('#last-day').waitFor();
    await overview.locator('#begin').waitFor({ state: 'detached' });
  }
  assert.equal((await root.call('DELETE', `oidc-clients/${id}`)).status, 200);
  await Promise.all([guest.close(), narrow.close()]);
});

test('every template of an application is accepted as it is filled in, and can be left again', async () => {
  await using guest = await atConsole(server, 'root', '/console/clients/new', {
    viewport: phone,
    language: 'de',
  });
  const { page } = guest;
  const redirects: Record<string, readonly string[]> = {
    grafana: ['https://app.example/login/generic_oauth'],
    gitlab: ['https://app.example/users/auth/openid_connect/callback'],
    gitea: ['https://app.example/user/oauth2/overlay-auth/callback'],
    nextcloud: [
      'https://app.example/apps/user_oidc/code',
      'https://app.example/index.php/apps/user_oidc/code',
    ],
    'oauth2-proxy': ['https://app.example/oauth2/callback'],
    'argo-cd': ['https://app.example/auth/callback'],
    'proxmox-ve': ['https://app.example:8006'],
    kubernetes: ['http://localhost:8000', 'http://localhost:18000'],
  };
  await page.locator('#template').waitFor();
  const offered = '[...document.querySelectorAll("#template option")].map(({ value }) => value)';
  assert.deepEqual(await page.evaluate(offered), ['', ...Object.keys(redirects)]);
  await page.locator('#field-name').fill('mine');
  await page.locator('#template').selectOption('gitlab');
  assert.equal(await page.locator('#field-name').inputValue(), 'mine', 'a typed name stays');
  await page.locator('#template-address').fill('not a host');
  await page.locator('#template-address-problem').waitFor();
  await page.locator('#template').selectOption('');
  assert.equal(await page.locator('#field-type').inputValue(), 'public');
  assert.equal(await page.locator('#field-redirectUris').inputValue(), '');
  for (const [template, uris] of Object.entries(redirects)) {
    await go(page, '/nodes');
    await go(page, '/clients/new');
    await page.locator('#template').selectOption(template);
    if (template !== 'kubernetes') await page.locator('#template-address').fill('app.example');
    assert.equal(await page.locator('#field-redirectUris').inputValue(), uris.join('\n'), template);
    await page.locator('#save').click();
    const settings = page.locator('section:has(#settings) pre');
    await settings.waitFor();
    const [{ id, redirectUris, type, tokenEndpointAuthMethod }] = (await root.get('oidc-clients')).json.data;
    assert.equal(tokenEndpointAuthMethod, type === 'public' ? 'none' : 'client_secret_basic', template);
    assert.deepEqual(redirectUris, uris);
    const text = (await settings.textContent()) ?? '';
    assert.ok(text.includes(id) && text.includes(`${server.url}/oidc`), template);
    assert.equal(/CLIENT_SECRET|clientSecret/.test(text), type === 'confidential', template);
    await assertClean(guest);
    await screenshot(page, `console-template-${template}`);
    assert.equal((await root.call('DELETE', `oidc-clients/${id}`)).status, 200);
  }
});

describe('applications', () => {
  test('are registered by the keyboard alone, with a secret that is shown once', async () => {
    await using guest = await admin.at('/console/clients');
    const { page } = guest;
    await page.getByText('No application yet.').waitFor();
    await assertClean(guest);
    await page.locator('#create').press('Enter');
    await heading(page, 'Register an application').waitFor();
    await page.locator('#field-name').focus();
    await page.keyboard.type('wiki');
    await page.locator('#field-type').selectOption('confidential');
    await page.locator('#field-redirectUris').focus();
    await page.keyboard.type('https://wiki.example/cb');
    await sample(page, 'Command')
      .getByText(
        'overlay-auth create oidc-client wiki confidential --redirect-uris https://wiki.example/cb',
        { exact: true },
      )
      .waitFor({ state: 'attached' });
    await assertClean(guest);
    await page.locator('#save').press('Enter');
    await heading(page, 'wiki is registered').waitFor();
    const secret = (await page.locator('.secret').textContent()) ?? '';
    assert.match(secret, /^[\w-]{43}$/);
    await assertClean(guest);
    await page.locator('#open-client').press('Enter');
    await heading(page, 'wiki').waitFor();
    await page.locator('#add-secret').waitFor();
    assert.equal((await page.content()).includes(secret), false, 'shown once');
    await page.locator('#add-secret').click();
    await page.locator('.secret').waitFor();
    assert.equal(await page.locator('#add-secret').count(), 0, 'two are the most');
    await assertClean(guest);
    const id = page.url().split('/').at(-1) ?? '';
    const [older] = (await root.get(`oidc-clients/${id}/secrets`)).json.data;
    await agree(guest, `delete-secret-${older.id}`, 'can no longer authenticate');
    await announced(page, 'The secret is deleted');
    assert.equal((await root.get(`oidc-clients/${id}/secrets`)).json.data.length, 1);
    await agree(guest, 'delete', 'All sessions in this application end at once');
    await announced(page, 'Deleted');
    await page.getByText('No application yet.').waitFor();
    assert.equal((await root.get(`oidc-clients/${id}`)).status, 404);
  });

  test('show what they were told of sessions that ended, and how they answered', async () => {
    const app = await registerClient(root, {
      name: 'told',
      backchannelLogoutUri: 'https://localhost:1/logout',
    });
    await server.createUser({ name: 'teller', password });
    const { id_token } = await loginAt(server, app, 'teller');
    assert.equal((await root.call('DELETE', `api-sessions/${claimsOf(id_token).sid}`)).status, 200);
    await using guest = await admin.at(`/console/clients/${app.id}`);
    const { page } = guest;
    const deliveries = page.locator('section:has(#deliveries)');
    await deliveries.getByText('waiting').waitFor();
    await deliveries.getByText(claimsOf(id_token).sid).waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-told');
    assert.equal((await root.call('DELETE', `oidc-clients/${app.id}`)).status, 200);
  });

  test('say which scopes they asked for in vain, and get them by a button', async () => {
    const app = await registerClient(root, { name: 'asking', scopes: ['openid'] });
    await server.createUser({ name: 'asker', password });
    await loginAt(server, app, 'asker', { scope: 'openid groups made-up' });
    await using guest = await admin.at(`/console/clients/${app.id}`);
    const { page } = guest;
    await page.locator('#dropped-scopes').getByText('Asked for and not allowed: groups').waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-dropped-scopes');
    await page.locator('#allow-scopes').click();
    await page.locator('#allow-scopes-confirm').click();
    await announced(page, 'The scopes are allowed');
    await page.locator('#dropped-scopes').waitFor({ state: 'detached' });
    assert.deepEqual((await root.get(`oidc-clients/${app.id}`)).json.data.scopes, ['openid', 'groups']);
    assert.equal((await root.call('DELETE', `oidc-clients/${app.id}`)).status, 200);
  });

  test('are changed field by field; the changes of another administrator are shown and kept', async () => {
    const body = { name: 'shop', type: 'public', redirectUris: ['https://shop.example/cb'] };
    const id = createdId(await root.call('POST', 'oidc-clients', body));
    await using guest = await admin.at(`/console/clients/${id}`);
    const { page } = guest;
    await page.locator('#field-name').fill("the shop's");
    await page.locator('#field-scopes').fill('openid\nprofile');
    await sample(page, 'Command')
      .getByText(`overlay-auth update oidc-client ${id} --name 'the shop'\\''s' --scopes openid,profile`)
      .waitFor({ state: 'attached' });
    assert.match((await sample(page, 'API call').textContent()) ?? '', /PATCH .*If-Match: "[\w-]{22}"/s);

    const theirs = { name: 'store', redirectUris: ['https://store.example/cb'] };
    assert.equal((await root.call('PATCH', `oidc-clients/${id}`, theirs)).status, 200);
    await page.locator('#save').click();
    const meanwhile = page.locator('#meanwhile');
    await meanwhile.getByText('https://store.example/cb').waitFor();
    await meanwhile.getByText("the shop's").waitFor();
    assert.equal(await meanwhile.getByText('openid, profile').count(), 0, 'theirs is shown, not all of mine');
    await assertClean(guest);
    await screenshot(page, 'console-meanwhile');
    assert.equal((await root.get(`oidc-clients/${id}`)).json.data.name, 'store');
    await page.locator('#go-on').click();
    assert.equal(await page.locator('#field-redirectUris').inputValue(), 'https://store.example/cb');
    await page.locator('#save').click();
    await announced(page, 'Saved');
    const saved = (await root.get(`oidc-clients/${id}`)).json.data;
    assert.equal(saved.name, "the shop's");
    assert.deepEqual(saved.redirectUris, ['https://store.example/cb']);
    assert.deepEqual(saved.scopes, ['openid', 'profile']);
    await heading(page, "the shop's").waitFor();

    await page.locator('#field-name').fill("the shop's ");
    await page.locator('#save').click();
    await page.locator('#field-name-problem').getByText('must not begin or end with a space').waitFor();
    await page.locator('#field-name').fill("the shop's");

    await page.locator('#field-redirectUris').fill('nonsense');
    await page.locator('#save').click();
    await page.locator('#field-redirectUris-problem').waitFor();
    assert.equal(await page.locator('#field-redirectUris').getAttribute('aria-invalid'), 'true');
    await assertClean(guest);
  });

  test('keep what was typed when the session ends before it is saved', async () => {
    const olgaId = await server.createUser({ name: 'olga', password, isAdmin: true });
    await using guest = await atConsole(server, 'olga', '/console/clients/new');
    const { page, context } = guest;
    await page.locator('#field-name').fill('kiosk');
    assert.equal((await root.call('DELETE', `identities/${olgaId}/api-sessions`)).status, 200);
    await page.locator('#save').click();
    await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor();
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#sign-in-again').click(),
    ]);
    await giveLogin(beside, 'olga');
    await heading(page, 'kiosk is registered').waitFor();
  });
});

test('a form keeps what is typed while it is being saved', async () => {
  const body = { name: 'desk', type: 'public', redirectUris: ['https://desk.example/cb'] };
  const id = createdId(await root.call('POST', 'oidc-clients', body));
  await using guest = await admin.at(`/console/clients/${id}`);
  const { page } = guest;
  await page.locator('#field-name').fill('desk 2');
  const isAsked = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  await page.route(`**/oidc-clients/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      isAsked.resolve();
      await mayGoOn.promise;
    }
    await route.continue();
  });
  await page.locator('#save').click();
  await isAsked.promise;
  await page.locator('#field-redirectUris').fill('https://desk.example/later');
  mayGoOn.resolve();
  await announced(page, 'Saved');
  await page.unrouteAll({ behavior: 'wait' });
  assert.equal(await page.locator('#field-redirectUris').inputValue(), 'https://desk.example/later');
  const { redirectUris, name } = (await root.get(`oidc-clients/${id}`)).json.data;
  assert.deepEqual([name, ...redirectUris], ['desk 2', ...body.redirectUris]);
  await page.locator('#save').click();
  await announced(page, 'Saved');
  const saved = (await root.get(`oidc-clients/${id}`)).json.data;
  assert.deepEqual(saved.redirectUris, ['https://desk.example/later']);
});

test('a form whose saving was not answered says that it is saved when it is sent again', async () => {
  const path = `auth-policies/${createdId(await root.call('POST', 'auth-policies', { name: 'unheard' }))}`;
  await using guest = await admin.at(path.replace('auth-', '/console/'));
  const { page } = guest;
  const save = async () => {
    await page.locator('#save').click();
    await page.locator('#save-confirm').click();
  };
  await page.locator('#field-name').fill('heard');
  await page.route(`**/${path}`, async (route) => {
    if (route.request().method() === 'PATCH') assert.equal((await route.fetch()).status(), 200);
    await route.abort('internetdisconnected');
  });
  await save();
  await page.getByText('The server cannot be reached').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await save();
  await announced(page, 'Saved');
  await heading(page, 'heard').waitFor();
  assert.equal(await page.locator('#meanwhile').count(), 0);
});

test('a form keeps what is typed beside the changes of another administrator', async () => {
  const body = { name: 'till', type: 'public', redirectUris: ['https://till.example/cb'] };
  const id = createdId(await root.call('POST', 'oidc-clients', body));
  await using guest = await admin.at(`/console/clients/${id}`);
  const { page } = guest;
  await page.locator('#field-name').fill('mine');
  await root.call('PATCH', `oidc-clients/${id}`, { name: 'theirs' });
  await page.locator('#save').click();
  await page.locator('#meanwhile').waitFor();
  await page.locator('#field-redirectUris').fill('https://till.example/later');
  await page.locator('#field-name').fill('mine later');
  await page.locator('#meanwhile').getByText('mine later').waitFor();
  await page.locator('#go-on').click();
  await page.locator('#meanwhile').waitFor({ state: 'detached' });
  assert.equal(await page.locator('#field-name').inputValue(), 'mine later');
  assert.equal(await page.locator('#field-redirectUris').inputValue(), 'https://till.example/later');
  await page.getByRole('button', { name: 'Discard changes' }).click();
});

test('a form keeps what is typed while a picture is read', async () => {
  await using guest = await admin.at('/console/clients/new');
  const { page } = guest;
  await page.locator('#field-logoUri').waitFor();
  await page.evaluate(`{
    const draw = createImageBitmap;
    globalThis.createImageBitmap = async (file) => {
      await new Promise((read) => (globalThis.readPicture = read));
      globalThis.createImageBitmap = draw;
      return draw(file);
    };
  }`);
  const png = await page.evaluate<string>(`{
    const canvas = document.createElement('canvas');
    canvas.toDataURL('image/png').split(',')[1];
  }`);
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
  await page.locator('#field-logoUri').setInputFiles(logo);
  await page.locator('#field-name').fill('typed meanwhile');
  await page.evaluate('readPicture()');
  await page.locator('#field-logoUri-preview').waitFor();
  assert.equal(await page.locator('#field-name').inputValue(), 'typed meanwhile');
  await page.locator('nav a[href="/console/nodes"]').click();
  await page.locator('#leave').click();
});

test('a form of what another administrator has deleted leads to the list', async () => {
  const body = { name: 'short-lived', type: 'public', redirectUris: ['https://short.example/cb'] };
  const id = createdId(await root.call('POST', 'oidc-clients', body));
  await using guest = await admin.at(`/console/clients/${id}`);
  const { page } = guest;
  await page.locator('#field-name').fill('longer');
  await root.call('DELETE', `oidc-clients/${id}`);
  await page.locator('#save').click();
  await page.locator('main').getByRole('link', { name: 'Applications', exact: true }).click();
  await page.locator('#leave').click();
  await heading(page, 'Applications').waitFor();
});

test('the keyboard keeps its place when a form is saved, discarded or changed by another', async () => {
  const path = `auth-policies/${createdId(await root.call('POST', 'auth-policies', { name: 'place' }))}`;
  await using guest = await admin.at(path.replace('auth-', '/console/'));
  const { page } = guest;
  const name = page.locator('#field-name');
  const save = async () => {
    await page.locator('#save').press('Enter');
    await page.locator('#save-confirm').press('Enter');
  };
  await name.fill('place 2');
  await save();
  await announced(page, 'Saved');
  await page.locator('#save[aria-disabled=true]:focus').waitFor();
  await name.press('Enter');
  await name.fill('place 3');
  await page.getByRole('button', { name: 'Discard changes' }).press('Enter');
  await keepsPlace(page);
  assert.equal(await name.inputValue(), 'place 2');
  await name.fill('mine');
  await root.call('PATCH', path, { name: 'theirs' });
  await save();
  await page.locator('#meanwhile').waitFor();
  await page.locator('#save[aria-disabled=true]:focus').waitFor();
  await page.locator('#go-on').press('Enter');
  await keepsPlace(page);
  assert.equal(await name.inputValue(), 'mine');
  await root.call('PATCH', path, { name: 'theirs again' });
  await save();
  await page.locator('#give-up').press('Enter');
  await keepsPlace(page);
  assert.equal(await name.inputValue(), 'theirs again');
});

test('a deletion of what another administrator changed reads it again before it asks again', async () => {
  const path = `auth-policies/${createdId(await root.call('POST', 'auth-policies', { name: 'place' }))}`;
  await using guest = await admin.at(path.replace('auth-', '/console/'));
  const { page } = guest;
  await page.locator('#delete').press('Enter');
  await root.call('PATCH', path, { name: 'theirs' });
  await page.locator('#delete-confirm').press('Enter');
  const question = page.getByRole('alertdialog');
  await question.getByText('was changed in the meantime').waitFor();
  await question.getByText('Delete theirs?').waitFor();
  await page.locator('#delete-confirm').press('Enter');
  await announced(page, 'Deleted');
  await page.locator('h1:focus', { hasText: 'Auth policies' }).waitFor();
});

test('a deletion that ends on another screen does not lead away from there', async () => {
  const id = createdId(await root.call('POST', 'auth-policies', { name: 'slow' }));
  await using guest = await admin.at(`/console/policies/${id}`);
  const { page } = guest;
  await page.locator('#delete').waitFor();
  const deletion = await held(page, `**/auth-policies/${id}`);
  await page.locator('#delete').click();
  await page.locator('#delete-confirm').click();
  await deletion.asked;
  await page.keyboard.press('Escape');
  await page.locator('nav a[href="/console/nodes"]').click();
  await heading(page, 'Nodes').waitFor();
  await deletion.release();
  await announced(page, 'Deleted');
  assert.equal(new URL(page.url()).pathname, '/console/nodes');
});

test('a creation that ends on another screen does not lead away from there', async () => {
  await using guest = await admin.at('/console/policies/new');
  const { page } = guest;
  await page.locator('#field-name').fill('left');
  await page.locator('#save').click();
  const creation = await held(page, '**/auth-policies');
  await page.locator('#save-confirm').click();
  await creation.asked;
  await page.locator('nav a[href="/console/nodes"]').click();
  await page.locator('#leave').click();
  await heading(page, 'Nodes').waitFor();
  await creation.release();
  await announced(page, 'Created');
  assert.equal(new URL(page.url()).pathname, '/console/nodes');
});

test('a creation that ends on another screen makes no secret that is never shown', async () => {
  for (const [kind, collection, fields, offered] of [
    ['clients', 'oidc-clients', { name: 'left', redirectUris: 'https://left.example/cb' }, '#add-secret'],
    ['events', 'event-subscriptions', { name: 'left', url: 'https://left.example/in' }, '#rotate-secret'],
  ] as const) {
    await using guest = await admin.at(`/console/${kind}/new`);
    const { page } = guest;
    const secrets: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/secrets')) secrets.push(request.url());
    });
    for (const [name, text] of Object.entries(fields)) await page.locator(`#field-${name}`).fill(text);
    if (kind === 'clients') await page.locator('#field-type').selectOption('confidential');
    const creation = await held(page, `**/${collection}`);
    await page.locator('#save').click();
    await creation.asked;
    await page.locator('nav a[href="/console/nodes"]').click();
    await page.locator('#leave').click();
    await heading(page, 'Nodes').waitFor();
    await creation.release();
    await announced(page, 'Created');
    await page.locator(`nav a[href="/console/${kind}"]`).click();
    await page.getByRole('link', { name: 'left' }).click();
    await page.locator(offered).waitFor();
    assert.deepEqual(secrets, []);
    await page.locator(offered).click();
    await page.locator('code.secret').waitFor();
    const made = new URL(page.url()).pathname.split('/').at(-1);
    assert.equal((await root.call('DELETE', `${collection}/${made}`)).status, 200);
  }
});

test('a form that is sent twice before it is drawn again makes one', async () => {
  await using guest = await admin.at('/console/clients/new');
  const { page } = guest;
  await page.locator('#field-name').fill('twice');
  await page.locator('#field-type').selectOption('public');
  await page.locator('#field-redirectUris').fill('https://twice.example/cb');
  let made = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/oidc-clients')) made += 1;
  });
  await page.evaluate(`{
    const save = document.querySelector('#save');
    save.click();
    save.click();
  }`);
  await heading(page, 'twice').waitFor();
  assert.equal(made, 1);
});

test('a form with changes asks before it is left by a link, the back button or a reload', async () => {
  const body = { name: 'till', type: 'public', redirectUris: ['https://till.example/cb'] };
  const id = createdId(await root.call('POST', 'oidc-clients', body));
  await using guest = await atConsole(server, 'root', '/console/clients');
  const { page } = guest;
  await page.getByRole('link', { name: 'till' }).click();
  const people = page.locator('nav a[href="/console/people"]');
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  const name = page.locator('#field-name');
  await name.fill('till 2');
  // It stays on the screen.
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  await people.click();
  await question.waitFor();
  await assertClean(guest);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(await name.inputValue(), 'till 2');

  await page.goBack();
  assert.equal(await question.count(), 0, 'the screen before the link to the content is the same one');
  await page.goBack();
  await question.getByRole('button', { name: 'Stay here' }).click();
  await question.waitFor({ state: 'detached' });
  await page.waitForURL(`${server.url}/console/clients/${id}`);
  assert.equal(await name.inputValue(), 'till 2');

  const asked = page.waitForEvent('dialog');
  // The page is read again only after the answer.
  const reloaded = page.evaluate('location.reload()');
  const dialog = await asked;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await reloaded;
  assert.equal(await name.inputValue(), 'till 2');

  await people.click();
  await page.locator('#leave').click();
  await heading(page, 'People').waitFor();
  assert.equal((await root.get(`oidc-clients/${id}`)).json.data.name, 'till');
  await go(page, `/clients/${id}`);
  await name.fill('till 3');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await people.click();
  await heading(page, 'People').waitFor();
});

test('a screen whose code is not loaded yet waits for a server that cannot be reached', async () => {
  await using guest = await atConsole(server, 'root', '/console/people');
  const { page, context } = guest;
  const isLoaded = () =>
    page.evaluate<boolean>(
      "performance.getEntriesByType('resource').some(({ name }) => name.includes('/others-'))",
    );
  await heading(page, 'People').waitFor();
  assert.equal(await isLoaded(), false);
  await context.setOffline(true);
  await page.locator('nav a[href="/console/cas"]').click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.click();
  await again.waitFor();
  await assertClean(guest);
  await context.setOffline(false);
  await again.click();
  await page.locator('#create').waitFor();
  assert.equal(await isLoaded(), true);
});

test('a form and the list of another screen wait for a server that cannot be reached', async () => {
  await using guest = await atConsole(server, 'root', '/console/clients/new');
  const { page, context } = guest;
  await page.locator('#field-name').fill('offline');
  await context.setOffline(true);
  await page.locator('#save').click();
  await page.locator('form.entity').getByText('The server cannot be reached').waitFor();
  assert.equal(await page.locator('#field-name').inputValue(), 'offline');
  await assertClean(guest);
  await page.locator('nav a[href="/console/cas"]').click();
  await page.locator('#leave').click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await assertClean(guest);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Third-party CAs').waitFor();
});

describe('external JWT signers', () => {
  test('are created from one address, and say whom a token signs in', async () => {
    const { issuer } = idp;
    idp.describe({
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      scopes_supported: ['openid', 'email'],
      claims_supported: ['sub', 'email'],
    });
    await createIdentity(server, 'grace');
    await using guest = await admin.at('/console/signers');
    const { page } = guest;
    await page.getByText('No signer yet.').waitFor();
    await assertClean(guest);
    await page.locator('#create').press('Enter');
    await page.locator('#address').fill('https://localhost:9/nothing');
    await page.locator('#address').press('Enter');
    await page.getByRole('alert').getByText('cannot be used').waitFor();
    await assertClean(guest);
    await page.locator('#address').fill(`${issuer.slice('https://'.length)}/`);
    await page.locator('#address').press('Enter');
    await page.locator('#found').getByText('with 1 usable key').waitFor();
    await keepsPlace(page);
    assert.equal(await page.locator('#field-issuer').inputValue(), issuer);
    assert.equal(await page.locator('#field-discovery').isChecked(), true);
    await page.locator('#field-clientId').fill('overlay');
    assert.equal(await page.locator('#field-audience').inputValue(), 'overlay', 'of ID tokens');
    await sample(page, 'Command')
      .getByText(
        `overlay-auth create ext-jwt-signer localhost ${issuer} overlay --use-external-id ` +
          `--external-auth-url ${issuer} --client-id overlay --scopes openid,email --send ID`,
        { exact: true },
      )
      .waitFor({ state: 'attached' });
    await assertClean(guest);
    await screenshot(page, 'console-signer-new');
    await page.locator('#save').press('Enter');
    await heading(page, 'localhost').waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    await page
      .locator('#redirect-uri', { hasText: `${server.issuer}/login/ext-jwt/callback/${id}` })
      .waitFor();

    const verdict = page.locator('#verdict');
    await page.getByText('Check a token that you have').click();
    const [verified, unverified] = ['The checks above verified it', 'the checks above did not verify it'];
    for (const [token, shows, says] of [
      [await tokenOf(server, idp, 'grace@idp'), 'Accepted. It signs in grace', verified],
      [await tokenOf(server, idp, 'nobody@idp'), 'No identity has this external id', verified],
      [await tokenOf(server, idp, '<b>x</b>@idp', { aud: 'other' }), 'Refused:', unverified],
      ['no token at all', 'Token not readable', 'not a JWT'],
    ] as const) {
      await page.locator('#token').fill(token);
      await page.locator('#check-token').press('Enter');
      await verdict.getByText(shows).waitFor();
      await assertClean(guest);
      const payload = await page.locator('#decoded').textContent();
      assert.match(payload ?? '', new RegExp(says));
      if (!token.includes(' ')) assert.match(payload ?? '', /"sub": "(?:grace|nobody|<b>x<\/b>)@idp"/);
      await screenshot(page, 'console-token');
    }

    await page.locator('#field-enabled').uncheck();
    await page.locator('#save').click();
    await page.getByRole('alertdialog').getByText('Sessions that it opened end at once').waitFor();
    await assertClean(guest);
    await page.locator('#save-confirm').click();
    await announced(page, 'Saved');
    assert.equal((await root.get(`external-jwt-signers/${id}`)).json.data.enabled, false);

    const policy = { name: 'named', primary: { extJwt: { allowed: true, allowedSigners: [id] } } };
    const policyId = createdId(await root.call('POST', 'auth-policies', policy));
    await agree(guest, 'delete', 'Sessions that it opened end at once');
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await assertClean(guest);
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await root.call('DELETE', `auth-policies/${policyId}`)).status, 200);
    await agree(guest, 'delete', 'Sessions that it opened end at once');
    await announced(page, 'Deleted');
  });
});

test('each well-known provider says what to do there, and fills in what it needs', async () => {
  await using guest = await atConsole(server, 'root', '/console/signers/new', {
    viewport: phone,
    language: 'de',
  });
  const { page } = guest;
  await page.locator('#provider').waitFor();
  const offered = '[...document.querySelectorAll("#provider option")].map(({ value }) => value)';
  const all = (await page.evaluate(offered)) as readonly string[];
  assert.deepEqual(all, ['', 'google', 'entra', 'okta', 'keycloak', 'gitlab', 'auth0', 'authentik']);
  for (const provider of all.slice(1)) {
    await go(page, '/nodes');
    await go(page, '/signers/new');
    await page.locator('#provider').selectOption(provider);
    assert.ok(URL.canParse(await page.locator('#address').inputValue()), provider);
    await assertClean(guest);
    await page.locator('#address').fill(idp.issuer);
    await page.locator('#address').press('Enter');
    await page.locator('#found a').waitFor();
    const claim = await page.locator('#field-claimsProperty').inputValue();
    assert.equal(claim, provider === 'entra' ? 'oid' : 'sub', provider);
    const hasSecret = !['keycloak', 'gitlab', 'authentik'].includes(provider);
    assert.equal(await page.locator('#field-clientSecret').count(), hasSecret ? 1 : 0, provider);
    await assertClean(guest);
    await screenshot(page, `console-provider-${provider}`);
  }
});

test('a field shows the chosen auth policy, also when the names of the others do not arrive', async () => {
  const enrollAuthPolicyId = createdId(await root.call('POST', 'auth-policies', { name: 'of newcomers' }));
  const issuer = 'https://newcomers.example';
  const signer = { name: 'newcomers', issuer, audience: 'here', jwksEndpoint: `${issuer}/keys` };
  const id = createdId(await root.call('POST', 'external-jwt-signers', { ...signer, enrollAuthPolicyId }));
  await using guest = await atConsole(server, 'root', '/console/nodes');
  const { page } = guest;
  await page.route('**/auth-policies?**', (route) => route.abort('internetdisconnected'));
  await go(page, `/signers/${id}`);
  const chosen = page.locator('#field-enrollAuthPolicyId option:checked', { hasText: enrollAuthPolicyId });
  await chosen.waitFor({ state: 'attached' });
  await page.unrouteAll({ behavior: 'wait' });
  await root.call('DELETE', `external-jwt-signers/${id}`);
});

test('an external JWT signer is filled in by hand', async () => {
  await using guest = await admin.at('/console/signers/new');
  const { page } = guest;
  await page.locator('#by-hand').press('Enter');
  for (const [field, text] of [
    ['name', 'by hand'],
    ['issuer', `${idp.issuer}/hand`],
    ['audience', 'overlay'],
    ['jwksEndpoint', `${idp.issuer}/jwks`],
  ] as const)
    await page.locator(`#field-${field}`).fill(text);
  await page.locator('#save').click();
  await heading(page, 'by hand').waitFor();
  const path = `external-jwt-signers/${page.url().split('/').at(-1)}`;
  const { discovery, useExternalId } = (await root.get(path)).json.data;
  assert.deepEqual([discovery, useExternalId], [false, true]);
  assert.equal((await root.call('DELETE', path)).status, 200);
});

describe('the test sign-in of a signer', () => {
  let provider: OpenIdProvider;
  let id: string;
  before(async () => {
    provider = await startOpenIdProvider();
    id = await createSignerOf(provider, server, root, 'elsewhere');
    await createIdentity(server, 'olive', { externalId: 'olive' });
  });
  after(async () => {
    await root.call('DELETE', `external-jwt-signers/${id}`);
    await provider.close();
  });

  test('opens a window and shows token, checks and person; no session opens', async () => {
    await using guest = await admin.at(`/console/signers/${id}`);
    const { page, context } = guest;
    const signedIn = await peopleSignedIn();
    for (const [name, shows] of [
      ['olive', 'Accepted. It signs in olive'],
      ['mallory', 'No identity has this external id'],
    ] as const) {
      const opening = context.waitForEvent('page');
      await page.locator('#test-sign-in').press('Enter');
      const there = await opening;
      await page.locator('#test-status', { hasText: 'in the other window' }).waitFor();
      await assertClean(guest);
      await there.waitForURL(`${provider.issuer}/**`);
      assert.equal(await there.evaluate('window.opener'), null, 'the provider cannot lead the console away');
      const closed = there.waitForEvent('close');
      await Promise.all([closed, signInAtProvider(provider, there, name).catch(leftByClosing(there))]);
      await page.locator('#verdict').getByText(shows).waitFor();
      await page.locator('#verdict').getByText('answered this request with a token').waitFor();
      const claims = (await page.locator('#decoded').textContent()) ?? '';
      assert.match(claims, new RegExp(`The checks above verified it.*"sub": "${name}"`, 's'));
      await assertClean(guest);
      await screenshot(page, `console-test-sign-in-${name}`);
      await context.clearCookies({ domain: 'localhost', name: /^_/ });
    }
    assert.deepEqual(await peopleSignedIn(), signedIn);
  });

  test('shows beforehand whom a first sign-in would create, and who was refused can be added', async () => {
    await using guest = await admin.at(`/console/signers/${id}`);
    const { page, context } = guest;
    await page.check('#creates-identities');
    await page.fill('#field-createIdentities-name', 'sub');
    await page.locator('#save').click();
    await announced(page, 'Saved');
    const opening = context.waitForEvent('page');
    await page.locator('#test-sign-in').press('Enter');
    const there = await opening;
    await there.waitForURL(`${provider.issuer}/**`);
    const closed = there.waitForEvent('close');
    await Promise.all([closed, signInAtProvider(provider, there, 'nora').catch(leftByClosing(there))]);
    await page.locator('#creates', { hasText: 'nora' }).waitFor();
    await assertClean(guest);
    await page.uncheck('#creates-identities');
    await page.locator('#save').click();
    await announced(page, 'Saved');
    await using idp = await startTestIdp();
    const other = await createSigner(root, idp, 'other');
    const claims = { name: 'Nora Nordmann', email: 'nora@corp.example', email_verified: true };
    const refused = await submitJwt(server, await tokenOf(server, idp, 'nora@idp', claims));
    await server.controller.services.attempts.flush();
    await go(page, `/attempts/${refused.headers['x-request-id']}`);
    await page.locator('#add-person').click();
    await page.locator('#field-email').waitFor();
    for (const [field, value] of [
      ['name', 'Nora Nordmann'],
      ['externalId', 'nora@idp'],
      ['email', 'nora@corp.example'],
    ])
      assert.equal(await page.inputValue(`#field-${field}`), value);
    await assertClean(guest);
    await page.locator('#save').click();
    // The next person is another one.
    await page.locator('#another').click();
    assert.equal(await page.inputValue('#field-name'), '');
    assert.equal(await page.inputValue('#field-externalId'), '');
    await root.call('DELETE', `external-jwt-signers/${other}`);
  });

  test('works with a client secret, which is typed once and shown nowhere', async () => {
    const secret = 'of our client there, 32 characters';
    provider.describe({ client_secret: secret, token_endpoint_auth_method: 'client_secret_post' });
    await using guest = await admin.at(`/console/signers/${id}`);
    const { page, context } = guest;
    assert.equal(await page.locator('#field-clientSecret').count(), 0);
    await page.selectOption('#field-clientAuthMethod', 'client_secret_post');
    await page.fill('#field-clientSecret', secret);
    assert.equal(await page.locator('#field-clientSecret').getAttribute('type'), 'password');
    await page.locator('details.same summary').first().click();
    await page.locator('details.same', { hasText: 'secret.txt' }).first().waitFor();
    const same = (await page.locator('details.same').first().textContent()) ?? '';
    assert.match(same, /--client-auth client_secret_post --client-secret-file secret\.txt/);
    assert.ok(!same.includes(secret), same);
    await assertClean(guest);
    await page.locator('#save').click();
    await announced(page, 'Saved');
    // Shown as long as something is not saved.
    await page.locator('details.same').waitFor({ state: 'detached' });
    assert.equal(await page.inputValue('#field-clientSecret'), '');
    const opening = context.waitForEvent('page');
    await page.locator('#test-sign-in').click();
    const there = await opening;
    await there.waitForURL(`${provider.issuer}/**`);
    const closed = there.waitForEvent('close');
    await Promise.all([closed, signInAtProvider(provider, there, 'olive').catch(leftByClosing(there))]);
    await page.locator('#verdict').getByText('Accepted. It signs in olive').waitFor();
    await page.selectOption('#field-clientAuthMethod', 'none');
    await page.locator('#save').click();
    await announced(page, 'Saved');
    provider.describe({});
  });

  test('reports a provider that refuses or is gone, and can be cancelled', async () => {
    const patch = (fields: object) => root.call('PATCH', `external-jwt-signers/${id}`, fields);
    await patch({ externalAuthUrl: 'https://localhost:1' });
    await using guest = await admin.at(`/console/signers/${id}`);
    const { page, context } = guest;
    await page.locator('#test-sign-in').click();
    await page.locator('#verdict').getByText('Check externalAuthUrl and clientId').waitFor();
    assert.equal(await page.locator('#decoded').count(), 0);
    await assertClean(guest);
    await patch({ externalAuthUrl: provider.issuer });
    const opening = context.waitForEvent('page');
    await page.locator('#test-sign-in').click();
    await (await opening).waitForURL(`${provider.issuer}/**`);
    assert.equal(await page.locator('#verdict').count(), 0, 'that was another test');
    await page.locator('#give-up').click();
    await page.locator('#give-up').waitFor({ state: 'detached' });
    await assertClean(guest);
    const issuer = `${provider.issuer}/programs`;
    const other = await createSigner(root, { ...provider, issuer }, 'for programs');
    await go(page, `/signers/${other}`);
    await page.getByText('save where people sign in and the client id').waitFor();
    assert.equal(await page.locator('#test-sign-in').count(), 0);
    await root.call('DELETE', `external-jwt-signers/${other}`);
  });
});

/** The identities with a session, of any test before. */
async function peopleSignedIn(): Promise<ReadonlySet<string>> {
  const sessions: { identity: { name: string } }[] = (await root.get('api-sessions?limit=500')).json.data;
  return new Set(sessions.map(({ identity }) => identity.name));
}

/** The window of a test closes as soon as it has come back, while it is still being waited for. */
function leftByClosing(window: Page) {
  return (error: unknown) => {
    if (!window.isClosed()) throw error;
  };
}

describe('third-party CAs', () => {
  test('are added from PEM, verified step by step, and given a rule', async () => {
    const made = authority();
    await using guest = await admin.at('/console/cas');
    const { page } = guest;
    await page.getByText('No CA yet.').waitFor();
    await assertClean(guest);
    await page.locator('#create').press('Enter');
    await page.locator('#field-name').fill('factory');
    await page.locator('#field-certPem').fill('no certificate');
    await page.locator('#save').click();
    await page.getByRole('alert').getByText('Certificate of the CA').waitFor();
    await assertClean(guest);
    const choose = (id: string, buffer: Buffer) =>
      page
        .locator(`#${id}-file`)
        .setInputFiles({ name: 'ca.crt', mimeType: 'application/pkix-cert', buffer });
    await choose('field-certPem', Buffer.from('\x89PNG\r\n'));
    await page.locator('#field-certPem-file-problem').getByText('neither in PEM nor in DER').waitFor();
    assert.equal(await page.locator('#field-certPem').inputValue(), 'no certificate', 'what was there stays');
    await assertClean(guest);
    await choose('field-certPem', new X509Certificate(made.certPem).raw);
    await page.locator('#field-certPem-file-problem').waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-certPem').inputValue(), made.certPem);
    await page.locator('#save').press('Enter');
    await heading(page, 'factory').waitFor();
    await page.locator('#state', { hasText: 'Not verified' }).waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-ca');

    const token = (await page.locator('#verification-token').textContent()) ?? '';
    const proof = (subject: string) => makeCertificate({ subject, issuer: made }).certPem;
    const wrong = proof('another name');
    await page.locator('#proof').fill(wrong);
    await page.locator('#verify').press('Enter');
    await page.getByRole('alert').getByText('verification token as its only common name').waitFor();
    await assertClean(guest);
    await choose('proof', Buffer.from(proof(token)));
    await eventually(
      () => page.locator('#proof').inputValue(),
      (pem) => pem.startsWith('-----BEGIN') && pem.trim() !== wrong.trim(),
    );
    await page.locator('#verify').press('Enter');
    await announced(page, 'The CA is verified');
    await page.locator('#state', { hasText: 'Verified' }).waitFor();
    await page.locator('#prove').waitFor({ state: 'detached' });
    await keepsPlace(page);

    const id = page.url().split('/').at(-1) ?? '';
    await page.locator('#has-rule').check();
    await page.locator('#field-externalIdClaim-location').selectOption('SAN_URI');
    await page.locator('#field-externalIdClaim-matcher').selectOption('SCHEME');
    await page.locator('#field-externalIdClaim-matcherCriteria').fill('spiffe');
    await page.locator('#field-externalIdClaim-parser').selectOption('SPLIT');
    await page.locator('#field-externalIdClaim-parserCriteria').fill('/');
    await page.locator('#field-externalIdClaim-index').fill('3');
    await page
      .locator('#rule-sentence', {
        hasText:
          'part 3 of an address (URI) among the alternative names with the scheme “spiffe”, split at “/”',
      })
      .waitFor();
    await sample(page, 'Command')
      .getByText(
        `overlay-auth update ca ${id} --claim-location SAN_URI --claim-matcher SCHEME --claim-matches spiffe ` +
          '--claim-parser SPLIT --claim-split-at / --claim-index 3',
        { exact: true },
      )
      .waitFor({ state: 'attached' });
    await page.locator('#save').click();
    await page.getByRole('alertdialog').getByText('Sessions opened by the old rule end').waitFor();
    await assertClean(guest);
    await page.locator('#save-confirm').click();
    await announced(page, 'Saved');
    const { externalIdClaim, isVerified } = (await root.get(`cas/${id}`)).json.data;
    assert.deepEqual([externalIdClaim.matcher, externalIdClaim.index, isVerified], ['SCHEME', 3, true]);
    assert.equal(await page.locator('#enrollment-jwt').count(), 0, 'nobody may enroll by it yet');
    await page.locator('#field-isAutoCaEnrollmentEnabled').check();
    await page.locator('#save').click();
    const jwt = (await page.locator('section:has(#enrollment-jwt) .secret').textContent()) ?? '';
    const { sub, em } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([sub, em], [id, 'ca']);
    assert.equal(await page.locator('#download-made').getAttribute('download'), 'factory.jwt');
    await assertClean(guest);
    await page.locator('#field-revocation-mode').selectOption({ index: 1 });
    await choose('field-revocation-crlPem', new X509Certificate(made.certPem).raw);
    const list = page.locator('#field-revocation-crlPem');
    await eventually(
      () => list.inputValue(),
      (pem) => pem.startsWith('-----BEGIN X509 CRL'),
    );
    await assertClean(guest);
    await page.getByRole('button', { name: 'Discard' }).click();
    await agree(guest, 'delete', 'Its certificates are refused');
    await announced(page, 'Deleted');
    await page.getByText('No CA yet.').waitFor();
  });
});

test('event subscriptions are made, tested and watched', async () => {
  await using receiver = await startMessageReceiver();
  await using guest = await admin.at('/console/events');
  const { page } = guest;
  await page.getByText('No event is sent anywhere yet.').waitFor();
  await page.locator('#create').click();
  await page.locator('#field-name').fill('siem');
  await page.locator('#field-url').fill(`${receiver.url}/in`);
  await page.getByLabel('admin.changed', { exact: true }).check();
  await assertClean(guest);
  await page.locator('#save').click();
  await heading(page, 'Events are sent to siem').waitFor();
  const secret = await page.locator('code.secret').textContent();
  await page.locator('#open-subscription').click();
  await page.locator('#test').click();
  await page.getByText('It has arrived').waitFor();
  const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' };
  new Webhook(secret ?? '').verify(body, headers as Record<string, string>);
  await page.locator('li code', { hasText: 'admin.changed' }).first().waitFor();
  await assertClean(guest);
  await page.locator('#replay').click();
  await page.locator('#replay-confirm').click();
  await announced(page, 'They are sent again');
  const former = page.getByText('The secret before this one signs too until');
  assert.equal(await former.count(), 0);
  await page.locator('#rotate-secret').click();
  await former.waitFor();
});

test('an event subscription whose receiver fails says so while it is looked at', async () => {
  const receiver = await startMessageReceiver();
  const body = { name: 'deaf', type: 'webhook', url: `${receiver.url}/in`, events: ['admin.changed'] };
  const path = `event-subscriptions/${createdId(await root.call('POST', 'event-subscriptions', body))}`;
  // Its own creation is the first event.
  const isDelivered = async () => (await root.get(`${path}/deliveries`)).json.data[0]?.state === 'delivered';
  await until(MINUTE, isDelivered);
  await receiver.close();
  await using guest = await atConsole(server, 'root', '/console/events');
  const { page } = guest;
  await page.clock.install();
  await page.getByRole('link', { name: 'deaf' }).click();
  await page.locator('main dl .badge.good').waitFor();
  await root.call('POST', 'auth-policies', { name: 'unheard' });
  await until(MINUTE, async () => (await root.get(path)).json.data.failures > 0);
  // The list of deliveries and the state above it are read again at the same time.
  await page.clock.runFor(10_000);
  await page.locator('main dl .badge.bad').filter({ hasText: 'waiting' }).waitFor();
  await page.locator('li .badge').filter({ hasText: 'waiting' }).first().waitFor();
  await page.locator('#test').click();
  await page.getByText('It has not arrived').waitFor();
  await assertClean(guest);
});

/** Each screen with something in it, and what shows that it is there. */
async function screens(): Promise<readonly (readonly [path: string, shows: string])[]> {
  const client = createdId(
    await root.call('POST', 'oidc-clients', { name: 'intranet', type: 'confidential' }),
  );
  const people = { externalAuthUrl: idp.issuer, clientId: 'overlay', targetToken: 'ID' };
  const signer = await createSigner(root, idp, 'corporate', people);
  const externalIdClaim = { location: 'COMMON_NAME', parser: 'SPLIT', parserCriteria: '-', index: 1 };
  const added = { name: 'plant', certPem: authority().certPem, isAuthEnabled: true, externalIdClaim };
  const ca = createdId(await root.call('POST', 'cas', added));
  const subscription = { type: 'syslog', url: 'tls://logs.example.com', enabled: false };
  const events = createdId(await root.call('POST', 'event-subscriptions', subscription));
  return [
    ['/cas', 'tbody'],
    ['/cas/new', '#field-certPem'],
    [`/cas/${ca}`, '#rule-sentence'],
    ['/signers', 'tbody'],
    ['/signers/new', '#address'],
    [`/signers/${signer}`, '#field-name'],
    ['/clients', 'tbody'],
    [`/clients/${client}`, '#field-name'],
    ['/events', 'tbody'],
    [`/events/${events}`, '#field-name'],
  ];
}

describe('every screen about connections', () => {
  let paths: Awaited<ReturnType<typeof screens>>;
  before(async () => {
    paths = await screens();
  });

  for (const [name, options] of [
    ['on a telephone in German', { viewport: phone, language: 'de' }],
    ['at 200 % zoom in the dark', { viewport: { width: 640, height: 400 }, colorScheme: 'dark' }],
  ] as const) {
    test(`is clean ${name}`, async () => {
      await using guest = await atConsole(server, 'root', '/console', options);
      for (const [path, shows] of paths) {
        await go(guest.page, path);
        await guest.page.locator(shows).first().waitFor();
        await assertClean(guest);
      }
    });
  }

  test('shows everything to readers, and offers them no change', async () => {
    const readerId = await server.createUser({ name: 'reader', password });
    await root.call('PATCH', `identities/${readerId}`, { permissions: ['read'] });
    await using guest = await atConsole(server, 'reader');
    const { page } = guest;
    const begins = ['/signers/new', '/clients/new', '/cas/new', '/people/new'].map(
      (path) => [path, '[role=alert]'] as const,
    );
    for (const [path, shows] of [...paths.filter(([path]) => !path.endsWith('/new')), ...begins]) {
      await go(page, path);
      await page.locator(shows).first().waitFor();
      await assertClean(guest);
      const offered = 'main :is(button.main, button.danger, a.main, #add-secret, #delete)';
      assert.deepEqual(await page.locator(offered).allTextContents(), [], path);
      const editable =
        'main form.entity :is(input, textarea):not([readonly], :disabled), form.entity select:enabled';
      assert.equal(await page.locator(editable).count(), 0, path);
    }
  });
});
