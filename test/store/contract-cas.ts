import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type caEntity, isTrustedForLogin, noRevocation } from '../../src/model/entities/ca.ts';
import { type AuthenticatorId, asId, type CaId, type IdentityId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import type { Unstored } from '../../src/store/contracts/entities.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, newId, t0, uniqueName } from './fixtures.ts';

type NewCa = Unstored<typeof caEntity>;

/** An authority that vouches for identities. */
export async function newVoucher(store: Store) {
  const ca = newCa();
  await store.cas.create(ca, t0);
  return { kind: 'ca', id: ca.id, updatedAt: t0 } as const;
}

export function newCa(changes: Partial<NewCa> = {}): NewCa {
  return {
    id: newId<CaId>(),
    name: typedName(uniqueName('ca')),
    certPem: 'PEM',
    thumbprint: uniqueName('thumbprint'),
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [typedName('a')],
    identityNameFormat: '',
    externalIdClaim: {
      location: 'COMMON_NAME',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    },
    revocation: noRevocation,
    verificationToken: 'token',
    verifiedAt: null,
    tags: { a: 1 },
    ...changes,
  };
}

/** Third-party authorities, and the certificates of identities. */
export function caTests({ store }: SharedDatabase): void {
  describe('third-party authorities', () => {
    test('come back as they were stored, and change only in the members that are given', async () => {
      const { cas } = store;
      const ca = newCa();
      await cas.create(ca, t0);
      const stored = { ...ca, verifiedAt: null, createdAt: t0, updatedAt: t0 };
      assert.deepEqual(await cas.find(ca.id), stored);
      const patch = { isAuthEnabled: false, externalIdClaim: null, tags: {} };
      assert.equal(await cas.update(ca.id, patch, t0 + 1), true);
      assert.deepEqual(await cas.find(ca.id), { ...stored, ...patch, updatedAt: t0 + 1 });
      assert.equal(await cas.update(newId<CaId>(), patch, t0), false);
    });

    test('have a unique name and certificate', async () => {
      const { cas } = store;
      const ca = newCa();
      await cas.create(ca, t0);
      await assert.rejects(cas.create(newCa({ name: ca.name }), t0), { field: 'name' });
      await assert.rejects(cas.create(newCa({ thumbprint: ca.thumbprint }), t0), { field: 'certPem' });
    });

    test('are trusted while they are verified and enabled', async () => {
      const { cas } = store;
      const ca = newCa();
      const isTrusted = async () =>
        (await cas.listAll()).some((one) => one.id === ca.id && isTrustedForLogin(one));
      await cas.create(ca, t0);
      assert.equal(await isTrusted(), false);
      const verified = await Promise.all([cas.verify(ca.id, t0 + 1), cas.verify(ca.id, t0 + 1)]);
      assert.deepEqual(verified.toSorted(), [false, true]);
      assert.equal(await isTrusted(), true);
      await cas.update(ca.id, { isAuthEnabled: false }, t0 + 2);
      assert.equal(await isTrusted(), false);
      await cas.update(ca.id, { isAuthEnabled: true }, t0 + 3);
      assert.equal(await isTrusted(), true);
      assert.equal(await cas.delete(ca.id, t0 + 4), true);
      assert.equal(await cas.delete(ca.id, t0 + 4), false);
      assert.equal(await isTrusted(), false);
    });

    test('add a change-feed entry with each change', async () => {
      const { cas, changes } = store;
      const ca = newCa();
      const seq = await changes.latest();
      await cas.create(ca, t0);
      await cas.update(ca.id, { isAuthEnabled: false }, t0);
      await cas.verify(ca.id, t0);
      await cas.delete(ca.id, t0);
      const mine = (await changes.readAfter(seq)).changes.filter(({ entityId }) => entityId === ca.id);
      assert.deepEqual(
        mine.map(({ kind }) => kind),
        Array(4).fill('ca'),
      );
    });
  });

  describe('certificates of identities', () => {
    const certificateOf = (identityId: IdentityId, thumbprint = uniqueName('thumbprint')) => ({
      id: newId<AuthenticatorId>(),
      identityId,
      certPem: 'PEM',
      thumbprint,
      tags: {},
    });

    test('are found by their thumbprint with identity and policy', async () => {
      const { authenticators } = store;
      const { id } = await createUser(store);
      const certificate = certificateOf(asId(id));
      await authenticators.createCertificate(certificate, t0);
      const login = await authenticators.findCertificateLogin(certificate.thumbprint);
      assert.equal(login?.authenticator.id, certificate.id);
      assert.equal(login?.identity.id, id);
      assert.equal(login?.policy.id, login?.identity.authPolicyId);
      assert.equal(await authenticators.findCertificateLogin('other'), null);
      await authenticators.delete(certificate.id, t0);
      assert.equal(await authenticators.findCertificateLogin(certificate.thumbprint), null);
    });

    test('belong to one identity, which may have several', async () => {
      const { authenticators } = store;
      const [one, two] = [await createUser(store), await createUser(store)];
      const certificate = certificateOf(asId(one.id));
      await authenticators.createCertificate(certificate, t0);
      await authenticators.createCertificate(certificateOf(asId(one.id)), t0);
      const taken = certificateOf(asId(two.id), certificate.thumbprint);
      await assert.rejects(authenticators.createCertificate(taken, t0), { field: 'certPem' });
    });
  });
}
