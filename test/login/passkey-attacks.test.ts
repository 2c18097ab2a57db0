// Attacks on the ceremonies of passkeys that need two browsers, or a change while a ceremony runs.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { type Json, SoftAuthenticator } from '../support/authenticator.ts';
import { type CookieBrowser, cookieBrowser, hiddenFields } from '../support/cookie-browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin } from '../support/flow.ts';
import { assertRefused, type Caller, callerWith, loggedIn, rootOf } from '../support/management.ts';
import {
  addOwn,
  afterPassword,
  ownPath,
  passkeyPolicy,
  person,
  personWithPasskey,
  question,
  submit,
  tokensOf,
} from '../support/passkeys.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const root = await rootOf(server);
const second = passkeyPolicy(server, { requirePasskey: true });
const register = '/oidc/login/passkey/register';

test('on a login that leaked, an answer counts in the browser of its question only', async () => {
  const pat = await personWithPasskey(server);
  const id = await beginLogin(server);
  /** The login as a browser continues it, and a question there. */
  const opened = async () => {
    const browser = cookieBrowser(server);
    const page = await browser.get(`/oidc/login/username?authRequestID=${encodeURIComponent(id)}`);
    const { authRequestId = '' } = hiddenFields(page);
    const path = `/oidc/login/passkey/options?id=${encodeURIComponent(authRequestId)}`;
    const ownScript = { accept: 'application/json', 'sec-fetch-site': 'same-origin' };
    const asked = await browser.get(path, ownScript);
    assert.equal(asked.status, 200, asked.text);
    return { browser, authRequestId, asked: asked.json };
  };
  const give = ({ browser, authRequestId }: { browser: CookieBrowser; authRequestId: string }, asked: Json) =>
    browser.post('/oidc/login/passkey', {
      authRequestId,
      response: JSON.stringify(pat.authenticator.get(asked)),
    });
  const [eve, victim, ofProgram] = [await opened(), await opened(), await question(server, id)];
  assert.equal((await give(victim, eve.asked)).status, 401);
  assert.equal((await give(eve, victim.asked)).status, 401);
  assert.equal((await give(victim, ofProgram)).status, 401);
  assert.equal((await submit(server, id, pat.authenticator.get(victim.asked))).status, 401);
  const elsewhere = { browser: eve.browser, authRequestId: victim.authRequestId };
  assert.equal((await give(elsewhere, victim.asked)).status, 400);
  assert.equal((await give(victim, victim.asked)).status, 302);
});

describe('while a ceremony runs,', () => {
  const update = (id: IdentityId, changes: object) =>
    server.store.identities.update(id, changes, clock.now());
  const disable = (id: IdentityId) => root.call('POST', `identities/${id}/disable`, {});
  async function resetPassword(id: IdentityId): Promise<void> {
    const [known] = (await root.get(`identities/${id}/authenticators`)).json.data;
    const reset = await root.call('PATCH', `authenticators/${known.id}`, { password: 'six loud candles' });
    assert.equal(reset.status, 200, reset.text);
  }

  test('removing a passkey makes its answers worthless, and ends the login that waits for it', async () => {
    const [pat, kim] = [await personWithPasskey(server), await personWithPasskey(server)];
    await update(kim.id, { authPolicyId: await second });
    const [first, waiting] = [await beginLogin(server), await afterPassword(server, kim)];
    const answers = {
      first: pat.authenticator.get(await question(server, first)),
      waiting: kim.authenticator.get(await question(server, waiting)),
    };
    for (const { id } of [pat, kim]) {
      const [passkey] = (await root.get(`identities/${id}/passkeys`)).json.data;
      assert.equal((await root.call('DELETE', `identities/${id}/passkeys/${passkey.id}`)).status, 200);
    }
    assert.equal((await submit(server, first, answers.first)).status, 401);
    assert.equal((await submit(server, waiting, answers.waiting)).status, 401);
    assert.equal((await server.post(`${register}/options`, { json: { id: waiting } })).status, 400);
  });

  const changes: readonly (readonly [string, number, (id: IdentityId) => Promise<unknown>])[] = [
    ['disabling the person', 400, disable],
    ['a new password by an administrator', 400, resetPassword],
    ['deleting the person', 400, (id) => root.call('DELETE', `identities/${id}`)],
    [
      'a policy that asks for no passkey',
      409,
      async (id) => update(id, { authPolicyId: await passkeyPolicy(server) }),
    ],
  ];
  for (const [what, status, change] of changes) {
    test(`${what} keeps a login from adding a passkey`, async () => {
      const pat = await person(server, await second);
      const id = await afterPassword(server, pat);
      const asked = await server.post(`${register}/options`, { json: { id } });
      const response = pat.authenticator.create(asked.json);
      await change(pat.id);
      const answer = await server.post(register, { json: { id, response } });
      assert.equal(answer.status, status, answer.text);
      assert.deepEqual(await server.store.passkeys.listOf([pat.id]), []);
    });
  }

  const ends: readonly (readonly [string, (id: IdentityId, caller: Caller) => Promise<unknown>])[] = [
    ['disabling the person', disable],
    ['a new password by an administrator', resetPassword],
    ['the end of the session', (_id, caller) => caller.call('DELETE', '/edge/client/v1/current-api-session')],
  ];
  for (const [what, end] of ends) {
    test(`${what} keeps its account page from adding a passkey`, async () => {
      const pat = await person(server);
      const caller = await loggedIn(server, pat.name);
      const asked = await caller.call('POST', `${ownPath}/options`, {});
      const response = pat.authenticator.create(asked.json.data);
      await end(pat.id, caller);
      assert.equal((await caller.call('POST', ownPath, { response })).status, 401);
      assert.deepEqual(await server.store.passkeys.listOf([pat.id]), []);
    });
  }
});

describe('a policy that takes no passkey, as the first or the second proof,', () => {
  const none = passkeyPolicy(server, { passkey: { allowed: false } });
  const mayAdd = async (caller: Caller) =>
    (await caller.call('GET', '/edge/client/v1/current-identity')).json.data.mayAddPasskey;

  test('keeps its people from adding one, and tells their account page not to offer it', async () => {
    const caller = await loggedIn(server, (await person(server, await none)).name);
    assert.equal(await mayAdd(caller), false);
    const asked = await caller.call('POST', `${ownPath}/options`, {});
    assertRefused(asked, 409, 'CONFLICT');
    assert.match(asked.json.error.message, /takes no passkeys/);
  });

  test('keeps out what was asked for before the change', async () => {
    const pat = await person(server);
    const caller = await loggedIn(server, pat.name);
    assert.equal(await mayAdd(caller), true);
    const asked = await caller.call('POST', `${ownPath}/options`, {});
    const response = pat.authenticator.create(asked.json.data);
    await server.store.identities.update(pat.id, { authPolicyId: await none }, clock.now());
    assertRefused(await caller.call('POST', ownPath, { response }), 409, 'CONFLICT');
    assert.deepEqual(await server.store.passkeys.listOf([pat.id]), []);
  });
});

test('a policy that takes passkeys as the second proof only lets people add them', async () => {
  const pat = await person(
    server,
    await passkeyPolicy(server, { passkey: { allowed: false }, requirePasskey: true }),
  );
  const id = await afterPassword(server, pat);
  const asked = await server.post(`${register}/options`, { json: { id } });
  const response = pat.authenticator.create(asked.json);
  const tokens = await tokensOf(server, await server.post(register, { json: { id, response } }));
  const page = callerWith(server, tokens.access_token);
  assert.equal((await page.get('/edge/client/v1/current-identity')).json.data.mayAddPasskey, true);
  await addOwn(page, new SoftAuthenticator(server.url));
});

test('a new passkey is added only where it was asked for: in the login, in the account, by the invitation', async () => {
  const [pat, kim] = [await person(server), await person(server, await second)];
  const caller = await loggedIn(server, pat.name);
  const invitation = await root.call('POST', `identities/${pat.id}/invitation`, {});
  const t = new URL(invitation.json.data.url).searchParams.get('t');
  const id = await afterPassword(server, kim);
  const add = {
    login: (response: Json) => server.post(register, { json: { id, response } }),
    account: (response: Json) => caller.call('POST', ownPath, { response }),
    invitation: (response: Json) => server.post('/invite/passkey', { json: { t, response } }),
  };
  const asked = {
    login: (await server.post(`${register}/options`, { json: { id } })).json,
    account: (await caller.call('POST', `${ownPath}/options`, {})).json.data,
    invitation: (await server.post('/invite/passkey/options', { json: { t } })).json,
  };
  const device = new SoftAuthenticator(server.url);
  const places = ['login', 'account', 'invitation'] as const;
  for (const from of places) {
    for (const to of places.filter((place) => place !== from)) {
      const refused = await add[to](device.create(asked[from]));
      assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_PASSKEY'], `${from} ${to}`);
    }
  }
  assert.equal((await add.account(device.create(asked.account))).status, 201);
  assert.equal((await add.invitation(device.create(asked.invitation))).status, 200);
  assert.equal((await add.login(device.create(asked.login))).status, 302);
});
