import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiSessionId, AuthenticatorId, IdentityId } from '../../src/model/ids.ts';
import type { EndingOrder, OpenLegacySession } from '../../src/store/contracts/api-sessions.ts';
import type { SharedDatabase } from './contract.ts';
import { newVoucher } from './contract-cas.ts';
import { createUser, HOUR, MINUTE, newId, openSession, t0, type User, uniqueName } from './fixtures.ts';

function legacy(user: User, changes: Partial<OpenLegacySession['progress']> = {}): OpenLegacySession {
  const id = newId<ApiSessionId>();
  return {
    id,
    tokenHash: `hash of ${id}`,
    progress: {
      identityId: user.id,
      authenticatorId: user.authenticatorId,
      signerId: null,
      caId: null,
      passed: ['password'],
      authTime: t0,
      certThumbprint: null,
      ...changes,
    },
    issuer: 'https://localhost:1280/oidc',
    configTypes: ['all'],
    ipAddress: '192.0.2.1',
    expiresAt: t0 + HOUR,
    now: t0,
    isComplete: true,
  };
}

export function legacySessionTests({ store }: SharedDatabase): void {
  describe('legacy sessions', () => {
    test('are found by the hash of their token, and listed', async () => {
      const place = { ipAddress: '192.0.2.7', program: 'curl 8.5', operatingSystem: null };
      const opening = legacy(await createUser(store), { place });
      const { newProgram, ...session } = (await store.apiSessions.openLegacy(opening)) ?? assert.fail();
      assert.equal(newProgram, null);
      assert.equal(session.mechanism, 'legacy');
      const { loginIpAddress, program, operatingSystem } = session;
      assert.deepEqual([loginIpAddress, program, operatingSystem], ['192.0.2.7', 'curl 8.5', null]);
      assert.deepEqual(session.configTypes, ['all']);
      assert.deepEqual(await store.apiSessions.findByTokenHash(opening.tokenHash), session);
      assert.deepEqual(await store.apiSessions.find(opening.id), session);
      assert.deepEqual(await store.apiSessions.listByIds([opening.id, newId<ApiSessionId>()]), [session]);
      assert.equal(await store.apiSessions.findByTokenHash('another'), null);
    });

    test('with a single proof end first where that is asked for, or alone', async () => {
      const user = await createUser(store);
      const open = async (...passed: OpenLegacySession['progress']['passed']) => {
        const opening = legacy(user, { passed });
        assert.ok(await store.apiSessions.openLegacy(opening));
        return opening.id;
      };
      const complete = [await open('password', 'totp'), await openSession(store, user)];
      const lacking = [await open('password'), await open('password'), await open('password')];
      const end = async (most: number, order: EndingOrder) =>
        new Set(await store.apiSessions.endOldestOf(user.id, most, { now: t0 + MINUTE, order }));
      assert.deepEqual(await end(3, 'only-single-proof'), new Set());
      assert.deepEqual(await end(2, 'only-single-proof'), new Set(lacking.slice(0, 1)));
      assert.deepEqual(await end(3, 'single-proof'), new Set(lacking.slice(1, 2)));
      assert.deepEqual(await end(2, 'single-proof'), new Set(lacking.slice(2)));
      assert.deepEqual(await end(0, 'only-single-proof'), new Set());
      assert.deepEqual(await end(0, 'single-proof'), new Set(complete));
    });

    test('open neither for a disabled or deleted identity nor for an authenticator that is gone', async () => {
      const user = await createUser(store);
      const gone = { authenticatorId: newId<AuthenticatorId>() };
      assert.equal(await store.apiSessions.openLegacy(legacy(user, gone)), null);
      assert.equal(
        await store.apiSessions.openLegacy(legacy(user, { identityId: newId<IdentityId>() })),
        null,
      );
      await store.identities.update(user.id, { disabledAt: t0, disabledUntil: null }, t0);
      assert.equal(await store.apiSessions.openLegacy(legacy(user)), null);
    });

    test('do not open for a password that was changed after it was verified', async () => {
      const user = await createUser(store);
      const verifiedHash = user.password.passwordHash;
      assert.notEqual(await store.apiSessions.openLegacy({ ...legacy(user), verifiedHash }), null);
      await store.authenticators.updatePassword(
        user.authenticatorId,
        { passwordHash: '$argon2id$2' },
        { now: t0 },
      );
      assert.equal(await store.apiSessions.openLegacy({ ...legacy(user), verifiedHash }), null);
    });

    test('do not open for a claim when the external id that it found was changed', async () => {
      const externalId = uniqueName('external');
      const user = await createUser(store, { externalId });
      const vouched = [{ voucher: await newVoucher(store), externalId }];
      const claimed = () => ({ ...legacy(user, { authenticatorId: null }), vouched });
      assert.notEqual(await store.apiSessions.openLegacy(claimed()), null);
      for (const other of [uniqueName('external'), null]) {
        await store.identities.update(user.id, { externalId: other }, t0);
        assert.equal(await store.apiSessions.openLegacy(claimed()), null);
      }
    });

    test('count as a login once nothing is outstanding', async () => {
      const user = await createUser(store);
      const known = { place: { ipAddress: '192.0.2.7', program: 'Firefox', operatingSystem: null } };
      await store.apiSessions.openLegacy(legacy(user, known));
      const place = { ipAddress: '192.0.2.7', program: 'curl 8.5', operatingSystem: null };
      const lacking = { ...legacy(user, { place }), isComplete: false };
      assert.equal((await store.apiSessions.openLegacy(lacking))?.newProgram, null);
      const { newProgram } = (await store.apiSessions.addPassed(lacking.id, 'totp', t0)) ?? {};
      assert.deepEqual(newProgram, { ...place, newWithinHour: 1 });
      assert.deepEqual(await store.apiSessions.addPassed(lacking.id, 'totp', t0), { newProgram: null });
    });

    test('keep what was proven later, each factor once, until they end', async () => {
      const user = await createUser(store);
      const opening = legacy(user);
      await store.apiSessions.openLegacy(opening);
      for (const completedAt of [null, t0])
        assert.ok(await store.apiSessions.addPassed(opening.id, 'totp', completedAt));
      assert.deepEqual((await store.apiSessions.find(opening.id))?.passed, ['password', 'totp']);
      await store.apiSessions.end(opening.id, 'logout', t0);
      assert.equal(await store.apiSessions.addPassed(opening.id, 'totp', t0), null);
      const oidc = await openSession(store, user);
      assert.equal(await store.apiSessions.addPassed(oidc, 'totp', t0), null);
    });

    test('are extended by their latest use, and ended ones are not changed', async () => {
      const user = await createUser(store);
      const [kept, ended] = [legacy(user), legacy(user)];
      for (const opening of [kept, ended]) await store.apiSessions.openLegacy(opening);
      await store.apiSessions.end(ended.id, 'administrator', t0);
      const use = (id: ApiSessionId, at: number) => ({ id, lastActivityAt: at, expiresAt: at + HOUR });
      await store.apiSessions.recordActivity([use(kept.id, t0 + 2 * MINUTE), use(ended.id, t0 + MINUTE)]);
      await store.apiSessions.recordActivity([use(kept.id, t0 + MINUTE)]);
      assert.equal((await store.apiSessions.find(kept.id))?.lastActivityAt, t0 + 2 * MINUTE);
      assert.equal((await store.apiSessions.find(kept.id))?.expiresAt, t0 + 2 * MINUTE + HOUR);
      assert.equal((await store.apiSessions.find(ended.id))?.lastActivityAt, t0);
    });
  });
}
