import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AuthenticatorId,
  asId,
  type CaId,
  type EnrollmentId,
  type IdentityId,
} from '../../src/model/ids.ts';
import type { NewCertificateAuthenticator } from '../../src/store/contracts/authenticators.ts';
import type { NewEnrollment, Redemption } from '../../src/store/contracts/enrollments.ts';
import type { SharedDatabase } from './contract.ts';
import { newCa, newVoucher } from './contract-cas.ts';
import { createUser, DAY, HOUR, newId, newIdentity, newPassword, query, t0, uniqueName } from './fixtures.ts';

export function newEnrollment(identityId: IdentityId, changes: Partial<NewEnrollment> = {}): NewEnrollment {
  return {
    id: newId<EnrollmentId>(),
    identityId,
    method: 'ott',
    caId: null,
    username: null,
    tokenHash: uniqueName('hash'),
    sealedToken: 'sealed',
    expiresAt: t0 + HOUR,
    ...changes,
  };
}

export function certificateOf(identityId: IdentityId): NewCertificateAuthenticator {
  return {
    id: newId<AuthenticatorId>(),
    identityId,
    certPem: 'PEM',
    thumbprint: uniqueName('thumbprint'),
    tags: {},
  };
}

export function redemptionOf(enrollment: NewEnrollment, changes: Partial<Redemption> = {}): Redemption {
  const { tokenHash, method, identityId } = enrollment;
  return {
    tokenHash,
    method,
    authenticator: { method: 'cert', ...certificateOf(identityId) },
    now: t0,
    ...changes,
  };
}

/** Enrollments of identities. */
export function enrollmentTests({ store }: SharedDatabase): void {
  describe('enrollments', () => {
    test('come back as they were stored, alone, by token and by identity', async () => {
      const { enrollments } = store;
      const identity = newIdentity();
      const ott = newEnrollment(identity.id);
      const updb = newEnrollment(identity.id, { method: 'updb', username: 'ana' });
      await enrollments.createIdentity(identity, [ott, updb], t0);
      const { tokenHash, ...stored } = { ...ott, createdAt: t0, updatedAt: t0 };
      assert.deepEqual(await enrollments.find(ott.id), stored);
      const open = await enrollments.findByTokenHash(tokenHash);
      assert.deepEqual(open?.enrollment, stored);
      assert.equal(open?.identity.name, identity.name);
      assert.equal(open?.policy.id, 'default');
      const mine = await enrollments.listOf([identity.id, newId<IdentityId>()]);
      assert.deepEqual(mine.map(({ method }) => method).toSorted(), ['ott', 'updb']);
      const filter = { op: '=', field: 'identityId', value: identity.id } as const;
      const { items, totalCount } = await enrollments.list(query({ filter }));
      assert.equal(totalCount, 2);
      assert.equal(items[0]?.identityName, identity.name);
    });

    test('are unique per method and identity; an expired one makes room', async () => {
      const { id } = await createUser(store);
      await store.enrollments.create(newEnrollment(id), t0);
      await assert.rejects(store.enrollments.create(newEnrollment(id), t0), { field: 'method' });
      await store.enrollments.create(newEnrollment(id, { expiresAt: t0 + DAY }), t0 + HOUR);
      assert.equal((await store.enrollments.listOf([id])).length, 1);
    });

    test('give an identity its certificate once', async () => {
      const { id } = await createUser(store);
      const enrollment = newEnrollment(id);
      await store.enrollments.create(enrollment, t0);
      const redemption = redemptionOf(enrollment);
      const { method, ...wrongMethod } = redemption;
      assert.equal(method, 'ott');
      assert.equal(await store.enrollments.redeem({ ...wrongMethod, method: 'updb' }), 'unknown');
      assert.equal(await store.enrollments.redeem({ ...redemption, now: t0 + HOUR }), 'expired');
      assert.equal(await store.enrollments.redeem(redemption), 'enrolled');
      assert.equal(await store.enrollments.redeem(redemptionOf(enrollment)), 'unknown');
      assert.equal((await store.authenticators.find(redemption.authenticator.id))?.method, 'cert');
      assert.equal(await store.enrollments.find(enrollment.id), null);
    });

    test('give nothing to another identity or a disabled one', async () => {
      const [mine, other] = [await createUser(store), await createUser(store)];
      const enrollment = newEnrollment(mine.id);
      await store.enrollments.create(enrollment, t0);
      const foreign = { method: 'cert', ...certificateOf(other.id) } as const;
      assert.equal(
        await store.enrollments.redeem(redemptionOf(enrollment, { authenticator: foreign })),
        'unknown',
      );
      await store.identities.update(mine.id, { disabledAt: t0, disabledUntil: null }, t0);
      assert.equal(await store.enrollments.redeem(redemptionOf(enrollment)), 'disabled');
      assert.notEqual(await store.enrollments.find(enrollment.id), null);
    });

    test('stay usable when what they should give is taken', async () => {
      const [mine, other] = [await createUser(store), newIdentity()];
      const updb = newEnrollment(other.id, { method: 'updb', username: 'x' });
      await store.enrollments.createIdentity(other, [updb], t0);
      const password = { ...newPassword(), usernameKey: mine.password.usernameKey };
      const authenticator = {
        ...password,
        method: 'updb',
        id: asId<AuthenticatorId>(password.id),
        identityId: other.id,
        tags: {},
      } as const;
      await assert.rejects(store.enrollments.redeem(redemptionOf(updb, { authenticator })), {
        field: 'username',
      });
      assert.notEqual(await store.enrollments.find(updb.id), null);
    });

    test('get another token; the previous one no longer works', async () => {
      const { id } = await createUser(store);
      const enrollment = newEnrollment(id);
      await store.enrollments.create(enrollment, t0);
      const renewal = { tokenHash: uniqueName('hash'), sealedToken: 'other', expiresAt: t0 + DAY };
      assert.equal(await store.enrollments.renew(enrollment.id, renewal, t0 + 1), true);
      assert.equal(await store.enrollments.renew(newId<EnrollmentId>(), renewal, t0), false);
      assert.equal(await store.enrollments.redeem(redemptionOf(enrollment)), 'unknown');
      const renewed = redemptionOf(enrollment, { tokenHash: renewal.tokenHash, now: t0 + 2 * HOUR });
      assert.equal(await store.enrollments.redeem(renewed), 'enrolled');
    });

    test('create an identity with its certificate in one step', async () => {
      const identity = newIdentity();
      const certificate = certificateOf(identity.id);
      const voucher = await newVoucher(store);
      await store.enrollments.enroll(identity, { voucher, certificate }, t0);
      const login = await store.authenticators.findCertificateLogin(certificate.thumbprint);
      assert.equal(login?.identity.name, identity.name);
      const second = newIdentity();
      const same = { ...certificateOf(second.id), thumbprint: certificate.thumbprint };
      await assert.rejects(store.enrollments.enroll(second, { voucher, certificate: same }, t0), {
        field: 'certPem',
      });
      assert.equal(await store.identities.find(second.id), null);
    });

    test('count a new identity against a limit, and none that is not created', async () => {
      const limit = {
        key: `new:${newIdentity().id}`,
        max: 2,
        lockFor: HOUR,
        longestLock: HOUR,
        forgetAfter: HOUR,
      };
      const voucher = await newVoucher(store);
      const enroll = (identity = newIdentity()) => store.enrollments.enroll(identity, { voucher, limit }, t0);
      const first = newIdentity();
      assert.equal(await enroll(first), 'enrolled');
      for (let again = 0; again < 3; again += 1)
        await assert.rejects(enroll({ ...newIdentity(), name: first.name }), { field: 'name' });
      const outcomes = await Promise.all([enroll(), enroll(), enroll()]);
      assert.deepEqual(outcomes.sort(), ['enrolled', 'full', 'full']);
    });

    test('create no identity by the rules of an authority that is gone or was changed', async () => {
      const voucher = await newVoucher(store);
      const [first, second] = [newIdentity(), newIdentity()];
      await store.cas.update(voucher.id, { isAuthEnabled: false }, t0 + 1);
      assert.equal(await store.enrollments.enroll(first, { voucher }, t0), 'changed');
      const current = { ...voucher, updatedAt: t0 + 1 };
      assert.equal(await store.enrollments.enroll(first, { voucher: current }, t0), 'enrolled');
      await store.cas.delete(voucher.id, t0);
      assert.equal(await store.enrollments.enroll(second, { voucher: current }, t0), 'changed');
      assert.equal(await store.identities.find(second.id), null);
    });

    test('end with their identity, their authority, on request, and a week after they expired', async () => {
      const [one, two, three, four] = [
        await createUser(store),
        await createUser(store),
        await createUser(store),
        await createUser(store),
      ];
      const ca = newCa({ id: newId<CaId>() });
      await store.cas.create(ca, t0);
      const ofCa = newEnrollment(two.id, { method: 'ottca', caId: ca.id });
      const all = [newEnrollment(one.id), ofCa, newEnrollment(three.id), newEnrollment(four.id)] as const;
      for (const enrollment of all) await store.enrollments.create(enrollment, t0);
      await store.identities.delete(one.id, t0);
      await store.cas.delete(ca.id, t0);
      assert.equal(await store.enrollments.delete(all[2].id), true);
      assert.equal(await store.enrollments.delete(all[2].id), false);
      await store.expiry.deleteExpired(t0 + 7 * DAY, 1000);
      for (const { id } of all.slice(0, 3)) assert.equal(await store.enrollments.find(id), null);
      assert.notEqual(await store.enrollments.find(all[3].id), null);
      await store.expiry.deleteExpired(t0 + 8 * DAY, 1000);
      assert.equal(await store.enrollments.find(all[3].id), null);
    });
  });
}
