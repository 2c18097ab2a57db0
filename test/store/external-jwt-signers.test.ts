import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { externalJwtSignerDefaults } from '../../src/model/entities/external-jwt-signer.ts';
import { type AuthPolicyId, asId, type SignerId } from '../../src/model/ids.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { NewExternalJwtSigner } from '../../src/store/contracts/external-jwt-signers.ts';
import { AlreadyTaken } from '../../src/store/contracts/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { newIdentity, start, temporaryFolder } from './support.ts';

const folder = temporaryFolder();
const store = await openSqliteStore({ path: folder.path('overlay.db') });
after(async () => {
  await store.close();
  folder.remove();
});

function newSigner(name: string, more: Partial<NewExternalJwtSigner> = {}): NewExternalJwtSigner {
  return {
    ...externalJwtSignerDefaults,
    id: asId<SignerId>(systemRandom.id()),
    name,
    enabled: true,
    issuer: `https://${name}.example`,
    audience: 'overlay',
    certPem: null,
    jwksEndpoint: `https://${name}.example/jwks`,
    kid: null,
    fingerprint: null,
    commonName: null,
    notBefore: null,
    notAfter: null,
    externalAuthUrl: null,
    clientId: null,
    enrollAuthPolicyId: null,
    enrollAttributeClaimsSelector: null,
    tags: { owner: 'ops' },
    ...more,
  };
}

const isTaken = (field: string) => (error: unknown) => error instanceof AlreadyTaken && error.field === field;

describe('external JWT signers', () => {
  test('come back as they were stored, and change only in the members that are given', async () => {
    const signer = newSigner('whole', { scopes: ['openid', 'email'], maxLifetimeSeconds: 3600 });
    await store.externalJwtSigners.create(signer, start);
    assert.deepEqual(await store.externalJwtSigners.find(signer.id), {
      ...signer,
      createdAt: start,
      updatedAt: start,
    });
    const patch = { enabled: false, tags: {}, maxLifetimeSeconds: null, useExternalId: true };
    assert.equal(await store.externalJwtSigners.update(signer.id, patch, start + MINUTE), true);
    assert.deepEqual(await store.externalJwtSigners.find(signer.id), {
      ...signer,
      ...patch,
      createdAt: start,
      updatedAt: start + MINUTE,
    });
    assert.equal(await store.externalJwtSigners.update(asId('no-such'), patch, start), false);
  });

  test('have a unique name, and a unique issuer with audience', async () => {
    const { externalJwtSigners } = store;
    await externalJwtSigners.create(newSigner('one'), start);
    const issuer = 'https://one.example';
    await assert.rejects(
      externalJwtSigners.create(newSigner('one', { issuer: 'x' }), start),
      isTaken('name'),
    );
    await assert.rejects(externalJwtSigners.create(newSigner('two', { issuer }), start), isTaken('audience'));
    const two = newSigner('two', { issuer, audience: 'other' });
    await externalJwtSigners.create(two, start);
    const patch = { audience: 'overlay' };
    await assert.rejects(externalJwtSigners.update(two.id, patch, start), isTaken('audience'));
  });

  test('cannot be deleted while a policy names them, as primary or as secondary', async () => {
    const policy = await store.authPolicies.find(asId<AuthPolicyId>('default'));
    assert.ok(policy);
    const { primary, secondary, tags } = policy;
    for (const which of ['primary', 'secondary']) {
      const signer = newSigner(`needed ${which}`);
      await store.externalJwtSigners.create(signer, start);
      const id = asId<AuthPolicyId>(systemRandom.id());
      const rules = {
        name: `needs ${signer.id}`,
        primary:
          which === 'primary'
            ? { ...primary, extJwt: { allowed: true, allowedSigners: [signer.id] } }
            : primary,
        secondary: which === 'secondary' ? { ...secondary, requireExtJwt: signer.id } : secondary,
        tags,
      };
      await store.authPolicies.create({ ...rules, id }, start);
      assert.equal(await store.externalJwtSigners.delete(signer.id, start), 'referenced');
      await store.authPolicies.update(id, { ...rules, primary, secondary }, start);
      assert.equal(await store.externalJwtSigners.delete(signer.id, start), 'deleted');
      assert.equal(await store.externalJwtSigners.delete(signer.id, start), 'unknown');
    }
  });

  test('keep the policy with which identities enroll', async () => {
    const policy = await store.authPolicies.find(asId<AuthPolicyId>('default'));
    assert.ok(policy);
    const id = asId<AuthPolicyId>(systemRandom.id());
    await store.authPolicies.create({ ...policy, name: 'for enrollment', id }, start);
    const signer = newSigner('enrolls', { enrollAuthPolicyId: id });
    await store.externalJwtSigners.create(signer, start);
    assert.equal(await store.authPolicies.delete(id, start), 'referenced');
    await store.externalJwtSigners.delete(signer.id, start);
    assert.equal(await store.authPolicies.delete(id, start), 'deleted');
  });

  test('add a change-feed entry with each change', async () => {
    const signer = newSigner('watched');
    const seq = await store.changes.latest();
    await store.externalJwtSigners.create(signer, start);
    await store.externalJwtSigners.update(signer.id, { enabled: false }, start);
    await store.externalJwtSigners.delete(signer.id, start);
    const changes = await store.changes.readAfter(seq);
    assert.deepEqual(
      changes.map(({ kind, entityId }) => [kind, entityId]),
      Array(3).fill(['external-jwt-signer', signer.id]),
    );
  });
});

test('an identity is found by exactly its external id', async () => {
  const identity = newIdentity('mapped', { externalId: 'Alice@example.com' });
  await store.identities.create(identity, null, start);
  assert.equal(
    (await store.identities.findAccountByExternalId('Alice@example.com'))?.identity.id,
    identity.id,
  );
  for (const other of ['alice@example.com', 'Alice@example.com ', '', '%'])
    assert.equal(await store.identities.findAccountByExternalId(other), null, other);
});
