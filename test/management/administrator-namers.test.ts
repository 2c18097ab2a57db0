import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { asId, type CaId, type SignerId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { newCa } from '../store/contract-cas.ts';
import { createPolicy, createSigner } from '../support/external-jwt.ts';
import { createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);
const idp = await startTestIdp();
after(() => idp.close());

/** Names of signers and CAs, and of the administrators that they can name. */
async function namers(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { status, json } = await admin.call('GET', 'administrators/named-by');
  assert.equal(status, 200);
  return Object.fromEntries(
    json.data.namedBy.map((one: { issuer: { name: string }; administrators: { name: string }[] }) => [
      one.issuer.name,
      one.administrators.map(({ name }) => name),
    ]),
  );
}

const signer = (name: string, more: object = {}) =>
  createSigner(admin, { ...idp, issuer: `${idp.issuer}/${encodeURIComponent(name)}` }, name, { ...more });

async function identity(name: string, more: object = {}): Promise<string> {
  const made = await admin.call('POST', 'identities', { name, type: 'User', isAdmin: true, ...more });
  return createdId(made);
}

describe('the signers and CAs that can name an administrator', () => {
  test('is every enabled signer and trusted CA whose rule finds one, under a policy that accepts it', async () => {
    assert.deepEqual(await namers(), {});
    const byExternalId = await signer('by external id');
    const byId = await signer('by id', { useExternalId: false });
    await signer('disabled', { enabled: false });
    // No administrator has an external id yet.
    assert.deepEqual(await namers(), { 'by id': ['root'] });

    await identity('user', { isAdmin: false, externalId: 'user@example.com' });
    const ann = await identity('ann', { externalId: 'ann@example.com' });
    assert.deepEqual(await namers(), { 'by external id': ['ann'], 'by id': ['ann', 'root'] });

    const only = await createPolicy(server, 'only by id', {
      primary: { extJwt: { allowed: true, allowedSigners: [asId<SignerId>(byId)] } },
    });
    await admin.call('PATCH', `identities/${ann}`, { authPolicyId: only });
    assert.deepEqual(await namers(), { 'by id': ['ann', 'root'] });

    await admin.call('PATCH', `identities/${ann}`, { authPolicyId: 'default' });
    await admin.call('POST', `identities/${ann}/disable`, { durationMinutes: 0 });
    assert.deepEqual(await namers(), { 'by id': ['root'] });
    await admin.call('POST', `identities/${ann}/enable`, {});
    await admin.call('PATCH', `external-jwt-signers/${byId}`, { enabled: false });
    assert.deepEqual(await namers(), { 'by external id': ['ann'] });
    await admin.call('DELETE', `external-jwt-signers/${byExternalId}`);
    assert.deepEqual(await namers(), {});
  });

  test('is a verified CA with a rule that yields the external id of one', async () => {
    const { cas } = server.store;
    const { ca: authority } = await testPki();
    const rule = {
      location: 'SAN_EMAIL',
      matcher: 'SUFFIX',
      matcherCriteria: '@example.com',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    } as const;
    const ca = newCa({ name: typedName('partner'), certPem: authority.certPem, externalIdClaim: rule });
    await cas.create(ca, server.clock.now());
    assert.deepEqual(await namers(), {}, 'not verified');
    await cas.verify(ca.id as CaId, server.clock.now());
    assert.deepEqual(await namers(), { partner: ['ann'] });
    await cas.update(ca.id, { externalIdClaim: { ...rule, matcherCriteria: '@example.org' } }, 0);
    assert.deepEqual(await namers(), {});
    await cas.update(ca.id, { externalIdClaim: null }, 0);
    assert.deepEqual(await namers(), {});
    await cas.delete(ca.id, 0);
  });

  test('shows a few administrators of many', async () => {
    for (let at = 0; at < 8; at += 1) await identity(`many ${at}`, { externalId: `many-${at}` });
    await signer('of many');
    assert.equal((await namers())['of many']?.length, 5);
  });

  test('is for administrators and those who may read', async () => {
    await server.createUser({ name: 'reader', password });
    const nobody = await loggedIn(server, 'reader');
    assert.equal((await nobody.call('GET', 'administrators/named-by')).status, 403);
    const found = await admin.call('GET', 'identities?filter=name%3D%22reader%22');
    await admin.call('PATCH', `identities/${found.json.data[0].id}`, { permissions: ['read'] });
    assert.equal((await nobody.call('GET', 'administrators/named-by')).status, 200);
  });
});
