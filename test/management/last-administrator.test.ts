import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import {
  certificateLogin,
  enrolled,
  giveCertificate,
  registerCa,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client } from '../support/chains.ts';
import { beginLogin } from '../support/flow.ts';
import {
  assertRefused,
  type Caller,
  callerWith,
  createdId,
  loggedIn,
  password,
} from '../support/management.ts';
import { question, storePasskey, submit, tokensOf } from '../support/passkeys.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let admin: Caller;
let rootId: string;
beforeEach(async () => {
  server = await startTestServer();
  rootId = await server.createUser({ name: 'root', password, isAdmin: true });
  admin = await loggedIn(server, 'root');
});
afterEach(() => server.close());

async function authenticatorOf(identityId: string): Promise<string> {
  return (await admin.get(`identities/${identityId}/authenticators`)).json.data[0].id;
}

describe('the last administrator', () => {
  test('is not deleted, demoted, disabled or left without a way to log in', async () => {
    const attempts = [
      admin.call('DELETE', `identities/${rootId}`),
      admin.call('PATCH', `identities/${rootId}`, { isAdmin: false }),
      admin.call('PUT', `identities/${rootId}`, { name: 'root', type: 'User', isAdmin: false }),
      admin.call('POST', `identities/${rootId}/disable`, { durationMinutes: 1 }),
      admin.call('DELETE', `authenticators/${await authenticatorOf(rootId)}`),
    ];
    for (const attempt of attempts) {
      const answer = await attempt;
      assertRefused(answer, 409, 'CONFLICT', 'force');
      assert.match(answer.json.error.message, /no administrator who can log in/);
    }
    assert.equal((await admin.get('identities')).status, 200);
  });

  test('is the last one who can log in: an administrator without a password does not count', async () => {
    const other = await admin.call('POST', 'identities', { name: 'other', isAdmin: true });
    assertRefused(await admin.call('DELETE', `identities/${rootId}`), 409, 'CONFLICT');
    const disabledId = await server.createUser({ name: 'disabled', password, isAdmin: true });
    assert.equal((await admin.call('POST', `identities/${disabledId}/disable`)).status, 200);
    assertRefused(await admin.call('DELETE', `identities/${rootId}`), 409, 'CONFLICT');
    // Administrators who do not count can be removed.
    for (const id of [other.json.data.id, disabledId]) {
      assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
    }
  });

  test('is the last one who can log in: expired certificates count only where the policy accepts them', async () => {
    const certificateOnly = await admin.call('POST', 'identities', { name: 'long gone', isAdmin: true });
    const goneId = createdId(certificateOnly);
    await enrolled(server, asId(goneId), { until: -MINUTE });
    assertRefused(await admin.call('DELETE', `identities/${rootId}`), 409, 'CONFLICT', 'force');
    const primary = { cert: { allowed: true, allowExpiredCerts: true } };
    const policy = createdId(await admin.call('POST', 'auth-policies', { name: 'old ones too', primary }));
    const accepting = { authPolicyId: policy };
    assert.equal((await admin.call('PATCH', `identities/${goneId}`, accepting)).status, 200);
    const strict = { primary: { cert: { allowExpiredCerts: false } } };
    assert.equal((await admin.call('PATCH', `auth-policies/${policy}`, strict)).status, 200);
    assertRefused(await admin.call('PATCH', `identities/${rootId}`, { isAdmin: false }), 409, 'CONFLICT');
    const lenient = { primary: { cert: { allowExpiredCerts: true } } };
    assert.equal((await admin.call('PATCH', `auth-policies/${policy}`, lenient)).status, 200);
    assert.equal((await admin.call('PATCH', `identities/${rootId}`, { isAdmin: false })).status, 200);
  });

  test('is the last one who can log in: a security key without resident keys counts', async () => {
    const kayId = await server.createUser({ name: 'kay', password, isAdmin: true });
    const device = new SoftAuthenticator(server.url);
    const keyId = await storePasskey(server, kayId, device);
    const ofKay = await authenticatorOf(kayId);
    assert.equal((await admin.call('DELETE', `authenticators/${ofKay}`)).status, 200);
    assert.equal((await admin.call('DELETE', `identities/${rootId}`)).status, 200);
    const login = await beginLogin(server);
    const answered = device.get(await question(server, login, 'kay'), { userHandle: null });
    const tokens = await tokensOf(server, await submit(server, login, answered));
    const kay = callerWith(server, tokens.access_token);
    for (const [method, path, body] of [
      ['DELETE', `identities/${kayId}`],
      ['PATCH', `identities/${kayId}`, { isAdmin: false }],
      ['DELETE', `identities/${kayId}/passkeys/${keyId}`],
    ] as const)
      assertRefused(await kay.call(method, path, body), 409, 'CONFLICT', 'force');
  });

  test('is the last one who can log in: certificates count only while their authority is trusted', async () => {
    const root = authority();
    const ca = `cas/${await registerCa(admin, root)}`;
    const kayId = createdId(await admin.call('POST', 'identities', { name: 'kay', isAdmin: true }));
    const leaf = client({ issuer: root });
    await giveCertificate(server, asId(kayId), leaf);
    const off = { isAuthEnabled: false };
    assert.equal((await admin.call('PATCH', ca, off)).status, 200);
    assertRefused(await admin.call('DELETE', `identities/${rootId}`), 409, 'CONFLICT', 'force');
    assert.equal((await admin.call('PATCH', ca, { isAuthEnabled: true })).status, 200);
    assert.equal((await admin.call('DELETE', `identities/${rootId}`)).status, 200);
    using device = withCertificate(server, leaf);
    const { access_token } = await certificateLogin(device);
    const kay = callerWith(device, access_token);
    for (const [method, body] of [['PATCH', off], ['DELETE']] as const)
      assertRefused(await kay.call(method, ca, body), 409, 'CONFLICT', 'force');
    assert.equal((await kay.call('DELETE', `${ca}?force=true`)).status, 200);
  });

  test('is the last one who can log in: a signer of ids makes no administrator of all of them', async () => {
    const jwksEndpoint = 'https://idp.example/keys';
    const signer = { name: 'idp', issuer: 'https://idp.example', audience: 'overlay', jwksEndpoint };
    const created = await admin.call('POST', 'external-jwt-signers', { ...signer, useExternalId: false });
    const signers = [createdId(created)];
    const other = createdId(await admin.call('POST', 'identities', { name: 'other', isAdmin: true }));
    assertRefused(await admin.call('DELETE', `identities/${rootId}`), 409, 'CONFLICT', 'force');
    const primary = { extJwt: { allowed: true, allowedSigners: signers } };
    const policy = createdId(await admin.call('POST', 'auth-policies', { name: 'of the provider', primary }));
    const named = { authPolicyId: policy };
    assert.equal((await admin.call('PATCH', `identities/${other}`, named)).status, 200);
    assert.equal((await admin.call('DELETE', `identities/${rootId}`)).status, 200);
  });

  test('cannot be required to send an external JWT that no administrator can provide', async () => {
    const jwksEndpoint = 'https://idp.example/keys';
    const signer = { name: 'idp', issuer: 'https://idp.example', audience: 'overlay', jwksEndpoint };
    const created = await admin.call('POST', 'external-jwt-signers', {
      ...signer,
      enabled: false,
      useExternalId: true,
    });
    const path = `external-jwt-signers/${createdId(created)}`;
    const ask = () =>
      admin.call('PATCH', 'auth-policies/default', { secondary: { requireExtJwt: createdId(created) } });
    // Disabled; then enabled, but of external ids, and the administrator has none.
    assertRefused(await ask(), 409, 'CONFLICT');
    assert.equal((await admin.call('PATCH', path, { enabled: true })).status, 200);
    assertRefused(await ask(), 409, 'CONFLICT');
    assert.equal((await admin.call('PATCH', `identities/${rootId}`, { externalId: 'root' })).status, 200);
    // Now it can be brought, from the next call on: the same change by an administrator without a second factor.
    const policy = await admin.call('POST', 'auth-policies', { name: 'asks for nothing' });
    const helper = await server.createUser({ name: 'helper', password, isAdmin: true });
    const free = { authPolicyId: createdId(policy) };
    assert.equal((await admin.call('PATCH', `identities/${helper}`, free)).status, 200);
    assert.equal((await ask()).status, 200);
    const second = await loggedIn(server, 'helper');
    assert.equal((await second.call('DELETE', `identities/${rootId}`)).status, 200);
    const back = { authPolicyId: 'default' };
    assertRefused(await second.call('PATCH', `identities/${helper}`, back), 409, 'CONFLICT');
    assert.equal(
      (await second.call('PATCH', `identities/${helper}`, { ...back, externalId: 'h' })).status,
      200,
    );
  });

  test('may go once there is another one', async () => {
    await server.createUser({ name: 'second', password, isAdmin: true });
    assert.equal((await admin.call('DELETE', `identities/${rootId}`)).status, 200);
    assertRefused(await admin.get('identities'), 401, 'UNAUTHORIZED');
    assert.equal((await (await loggedIn(server, 'second')).get('identities')).status, 200);
  });

  test('remains when two administrators remove each other at once', async () => {
    const secondId = await server.createUser({ name: 'second', password, isAdmin: true });
    const second = await loggedIn(server, 'second');
    const removals: readonly (readonly [string, string, unknown?])[] = [
      ['PATCH', '', { isAdmin: false }],
      ['POST', '/disable', { durationMinutes: 1 }],
      ['DELETE', ''],
    ];
    await Promise.all(
      removals.flatMap(([method, action, body]) => [
        admin.call(method, `identities/${secondId}${action}`, body),
        second.call(method, `identities/${rootId}${action}`, body),
      ]),
    );
    assert.equal(await server.store.identities.countUsableAdmins(server.clock.now()), 1);
  });

  test('may be changed in any other way', async () => {
    assert.equal((await admin.call('PATCH', `identities/${rootId}`, { name: 'chief' })).status, 200);
    const same = { name: 'chief', type: 'User', isAdmin: true };
    assert.equal((await admin.call('PUT', `identities/${rootId}`, same)).status, 200);
  });
});
