// The voucher of a login must be trusted for as long as the session lives: when a signer or an authority changes
// or is revoked, everything it has opened ends.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { assertNoSession, clientRoot, type Session, sessionOf } from '../legacy/support.ts';
import {
  asksForLogin,
  authorizeIn,
  follow,
  sessionCookieName,
  withBrowserSession,
} from '../support/browser-session.ts';
import {
  certificateLogin,
  enrolled,
  giveCertificate,
  registerCa,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client, clientExtensions, generalName, subjectAltName } from '../support/chains.ts';
import { cookieBrowser, hiddenFields } from '../support/cookie-browser.ts';
import {
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  redeemed,
  submitJwt,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  claimsOf,
  codeOf,
  login,
  redeem,
  refresh,
  type Tokens,
} from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { assertRefused, createdId, loggedIn, password } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const emailRule = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };

// Certificates follow the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const [server, idp] = await Promise.all([
  startTestServer({ clock, configure: withBrowserSession }),
  startTestIdp(),
]);
await server.createUser({ name: 'root', password, isAdmin: true });
const admin = await loggedIn(server, 'root');
after(async () => {
  await Promise.all([server.close(), idp.close()]);
});

let count = 0;
const unique = (prefix: string) => {
  count += 1;
  return `${prefix}-${count}`;
};

/** What an identity has from a signer or an authority: sessions of both mechanisms, and a code. */
interface Loot {
  readonly connection: HttpsClient;
  readonly tokens: Tokens;
  readonly session: Session;
  readonly code: string;
}

async function signerWithLoot(more: object = {}): Promise<Loot & { readonly id: string }> {
  const audience = unique('audience');
  const id = await createSigner(admin, idp, unique('signer'), { audience, ...more });
  const name = unique('person');
  await createIdentity(server, name);
  const token = () => tokenOf(server, idp, `${name}@idp`, { aud: audience });
  const tokens = await redeemed(server, await submitJwt(server, await token()));
  const path = `${clientRoot}/authenticate?method=ext-jwt`;
  const opened = await server.post(path, { json: {}, headers: bearer(await token()) });
  const code = codeOf(await submitJwt(server, await token()));
  return { id, connection: server, tokens, session: sessionOf(server, opened), code };
}

/** The same of a signer whose token was the second proof, after the password. */
async function signerWithSecondLoot() {
  const audience = unique('audience');
  const id = await createSigner(admin, idp, unique('signer'), { audience });
  const policy = await createPolicy(server, unique('policy'), { secondary: { requireExtJwt: id } });
  const name = unique('person');
  const identityId = await createUserWithPolicy(server, name, policy);
  const token = await tokenOf(server, idp, `${name}@idp`, { aud: audience });
  const submitted = () => submitPasswordAnd(server, name, password, token);
  const tokens = await redeemed(server, await submitted());
  const path = `${clientRoot}/authenticate?method=password`;
  const opened = await server.post(path, { json: { username: name, password }, headers: bearer(token) });
  const browser = cookieBrowser(server);
  const page = await follow(browser, await authorizeIn(browser));
  const form = { ...hiddenFields(page), username: name, password };
  const headers = { origin: server.url, 'sec-fetch-site': 'same-origin', authorization: `Bearer ${token}` };
  const signedIn = await browser.post('/oidc/login/username', form, headers);
  assert.ok(browser.cookies.has(sessionCookieName), signedIn.text);
  const code = codeOf(await submitted());
  return { id, identityId, connection: server, tokens, session: sessionOf(server, opened), code, browser };
}

async function caWithLoot(isKnown = false): Promise<Loot & { readonly id: string }> {
  const ca = authority();
  const id = await registerCa(admin, ca, { externalIdClaim: emailRule });
  const email = `${unique('person')}@example.com`;
  const identityId = await createIdentity(server, email, { externalId: email });
  const leaf = client({ issuer: ca }, clientExtensions(subjectAltName(generalName.email(email))));
  if (isKnown) await giveCertificate(server, identityId, leaf);
  const connection = withCertificate(server, leaf);
  const tokens = await certificateLogin(connection);
  const opened = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
  const begun = await connection.post('/oidc/login/cert', {
    json: { authRequestId: await beginLogin(connection) },
  });
  return { id, connection, tokens, session: sessionOf(server, opened), code: codeOf(begun) };
}

async function goesOn({ connection, tokens, session }: Loot): Promise<void> {
  assert.equal((await callWith(connection, tokens.access_token)).status, 200);
  assert.equal((await session.get('current-identity')).status, 200);
}

async function isOver({ connection, tokens, session, code }: Loot): Promise<void> {
  assert.equal((await callWith(connection, tokens.access_token)).status, 401);
  assertNoSession(await session.get('current-identity'));
  for (const answer of [await refresh(connection, tokens.refresh_token), await redeem(connection, code)]) {
    assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_grant']);
  }
}

async function changed(path: string, body: object): Promise<void> {
  const answer = await admin.call('PATCH', path, body);
  assert.equal(answer.status, 200, answer.text);
}

describe('a session that an external JWT signer has opened ends for good when it changes', () => {
  const changes: Readonly<Record<string, () => readonly [change: object, back: object]>> = {
    'its issuer': () => [{ issuer: 'https://other.example' }, { issuer: idp.issuer }],
    'its audience': () => [{ audience: unique('other') }, {}],
    'the address of its keys': () => [
      { jwksEndpoint: `${idp.jwksEndpoint}?other` },
      { jwksEndpoint: idp.jwksEndpoint },
    ],
    'the claim that names the identity': () => [{ claimsProperty: 'email' }, { claimsProperty: 'sub' }],
    'what the claim is compared with': () => [{ useExternalId: false }, { useExternalId: true }],
  };
  for (const [name, change] of Object.entries(changes)) {
    test(name, async () => {
      const [loot, bystander] = [await signerWithLoot(), await signerWithLoot()];
      await goesOn(loot);
      const [there, back] = change();
      await changed(`external-jwt-signers/${loot.id}`, there);
      await isOver(loot);
      await changed(`external-jwt-signers/${loot.id}`, back);
      await isOver(loot);
      await goesOn(bystander);
    });
  }

  test('that email addresses have to be verified; not that they no longer have to', async () => {
    const loot = await signerWithLoot({ requireVerifiedEmail: false });
    const path = `external-jwt-signers/${loot.id}`;
    await changed(path, { requireVerifiedEmail: true });
    await isOver(loot);
    await changed(path, { requireVerifiedEmail: false });
    await isOver(loot);
    const strict = await signerWithLoot({ requireVerifiedEmail: true });
    await changed(`external-jwt-signers/${strict.id}`, { requireVerifiedEmail: false });
    await goesOn(strict);
  });

  test('but continues when something else changes, or the same values are saved again', async () => {
    const loot = await signerWithLoot();
    const { data } = (await admin.get(`external-jwt-signers/${loot.id}`)).json;
    const same = { issuer: data.issuer, audience: data.audience, jwksEndpoint: data.jwksEndpoint };
    await changed(`external-jwt-signers/${loot.id}`, {
      ...same,
      name: unique('renamed'),
      scopes: ['openid'],
    });
    await goesOn(loot);
    assert.equal((await redeem(server, loot.code)).status, 200);
  });

  test('and does not work while it is disabled', async () => {
    const loot = await signerWithLoot();
    await changed(`external-jwt-signers/${loot.id}`, { enabled: false });
    await isOver(loot);
  });
});

describe('a session that a signer has completed, after the password, ends for good', () => {
  const ways: Readonly<Record<string, (of: { id: string; identityId: string }) => Promise<unknown>>> = {
    'when its rule changes': ({ id }) => changed(`external-jwt-signers/${id}`, { claimsProperty: 'email' }),
    'when it is revoked': ({ id }) => admin.call('POST', 'revocations', { type: 'EXT_JWT_SIGNER', id }),
    'when the external id changes': ({ identityId }) =>
      changed(`identities/${identityId}`, { externalId: unique('other') }),
  };
  for (const [name, change] of Object.entries(ways)) {
    test(name, async () => {
      const [loot, bystander] = [await signerWithSecondLoot(), await signerWithSecondLoot()];
      await change(loot);
      await isOver(loot);
      assert.ok(asksForLogin(await authorizeIn(loot.browser)), 'the browser');
      codeOf(await authorizeIn(bystander.browser));
      assert.equal((await redeem(server, bystander.code)).status, 200);
      assert.equal((await refresh(server, bystander.tokens.refresh_token)).status, 200);
    });
  }
});

describe('a session that an authority has opened ends for good when its rule changes', () => {
  test('if the rule found the identity', async () => {
    const loot = await caWithLoot();
    await goesOn(loot);
    await changed(`cas/${loot.id}`, { externalIdClaim: { ...emailRule, location: 'SAN_URI' } });
    await isOver(loot);
    await changed(`cas/${loot.id}`, { externalIdClaim: emailRule });
    await isOver(loot);
    loot.connection.closeConnections();
  });

  test('but not if the certificate itself is registered, or something else changes', async () => {
    const [known, found] = [await caWithLoot(true), await caWithLoot()];
    await changed(`cas/${known.id}`, { externalIdClaim: { ...emailRule, location: 'SAN_URI' } });
    await changed(`cas/${found.id}`, { externalIdClaim: emailRule, identityRoles: ['a'] });
    for (const loot of [known, found]) {
      await goesOn(loot);
      loot.connection.closeConnections();
    }
  });

  test('and does not work while it is disabled', async () => {
    const loot = await caWithLoot();
    await changed(`cas/${loot.id}`, { isAuthEnabled: false });
    await isOver(loot);
    loot.connection.closeConnections();
  });
});

test('deleting a signer or an authority ends the sessions that it has opened, and no others', async () => {
  const bystanders = [await signerWithLoot(), await caWithLoot()];
  for (const [kind, loot] of [
    ['external-jwt-signers', await signerWithLoot()],
    ['cas', await caWithLoot(true)],
    ['cas', await caWithLoot()],
  ] as const) {
    const answer = await admin.call('DELETE', `${kind}/${loot.id}`);
    assert.equal(answer.status, 200, answer.text);
    await isOver(loot);
    for (const id of [claimsOf(loot.tokens.access_token).z_asid, loot.session.id])
      assert.equal((await server.store.apiSessions.find(id))?.endReason, 'credential-changed', kind);
  }
  for (const loot of bystanders) await goesOn(loot);
});

describe('a revocation', () => {
  for (const [type, open] of [
    ['EXT_JWT_SIGNER', signerWithLoot],
    ['CA', caWithLoot],
  ] as const) {
    test(`of the type ${type} ends what it has opened, and nothing else`, async () => {
      const [loot, bystander] = [await open(), await open()];
      const own = await enrolled(server, await createIdentity(server, unique('own'), { externalId: null }));
      const connection = withCertificate(server, own);
      const tokens = await certificateLogin(connection);
      createdId(await admin.call('POST', 'revocations', { type, id: loot.id }));
      await isOver(loot);
      await goesOn(bystander);
      assert.equal((await callWith(connection, tokens.access_token)).status, 200);
      for (const each of [connection, loot.connection, bystander.connection]) each.closeConnections();
    });
  }

  test('spares what a signer has opened after the named time', async () => {
    const loot = await signerWithLoot();
    const issuedBefore = new Date(clock.now() - MINUTE).toISOString();
    createdId(await admin.call('POST', 'revocations', { type: 'EXT_JWT_SIGNER', id: loot.id, issuedBefore }));
    await goesOn(loot);
  });

  test('names something that is there', async () => {
    for (const type of ['EXT_JWT_SIGNER', 'CA', 'IDENTITY', 'API_SESSION']) {
      const answer = await admin.call('POST', 'revocations', { type, id: 'no-such' });
      assertRefused(answer, 400, 'COULD_NOT_VALIDATE', 'id');
    }
    const wrong = await admin.call('POST', 'revocations', { type: 'SIGNER', id: 'x' });
    assertRefused(wrong, 400, 'COULD_NOT_VALIDATE', 'type');
    assert.equal((await login(server, 'root', password)).expires_in > 0, true);
  });
});
