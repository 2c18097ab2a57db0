import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiSessionId, asId, type RevocationId } from '../../src/model/ids.ts';
import type { RevocationType } from '../../src/model/revocation.ts';
import { AlreadyTaken } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, HOUR, openSession, query, t0, uniqueName } from './fixtures.ts';

function entry(type: RevocationType, id: string, issuedBefore: number | null = null) {
  return { id: asId<RevocationId>(id), type, issuedBefore, expiresAt: t0 + HOUR, tags: {} };
}

export function revocationTests({ store }: SharedDatabase): void {
  describe('revocations', () => {
    test('of a token are in the deny set until they expire, and every node learns it', async () => {
      const jti: string = uniqueName('jti');
      const seq = await store.changes.latest();
      assert.equal(await store.revocations.revoke(entry('JTI', jti), t0), 0);
      assert.deepEqual(
        (await store.changes.readAfter(seq)).changes.map(({ kind, entityId }) => [kind, entityId]),
        [['token-revocation', jti]],
      );
      const denied = async (now: number) =>
        (await store.revocations.listTokens(now)).filter(({ id }) => id === jti);
      assert.deepEqual(await denied(t0), [{ id: jti, expiresAt: t0 + HOUR }]);
      assert.deepEqual(await denied(t0 + HOUR), []);
      const filter = { op: '=', field: 'id', value: jti } as const;
      assert.equal((await store.revocations.list(query({ filter }))).totalCount, 1);
      assert.equal(await store.revocations.delete(asId(jti), t0), true);
      assert.equal(await store.revocations.delete(asId(jti), t0), false);
      assert.equal((await store.changes.readAfter(seq)).changes.length, 2);
      assert.deepEqual(await denied(t0), []);
    });

    test('of a session end it, and may be repeated', async () => {
      const session = await openSession(store, await createUser(store));
      assert.equal(await store.revocations.revoke(entry('API_SESSION', session), t0), 1);
      assert.equal((await store.apiSessions.find(session))?.endReason, 'revoked');
      assert.equal(await store.revocations.revoke(entry('API_SESSION', session), t0 + 1), 0);
      const { createdAt, updatedAt } = (await store.revocations.find(asId(session))) ?? {};
      assert.deepEqual([createdAt, updatedAt], [t0, t0 + 1]);
      await assert.rejects(
        store.revocations.revoke(entry('JTI', session), t0),
        (error) => error instanceof AlreadyTaken && error.field === 'id',
      );
    });

    test('of an identity end the sessions that were opened by then', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const isAlive = async (id: ApiSessionId) => (await store.apiSessions.find(id))?.endedAt === null;
      const { createdAt = 0 } = (await store.apiSessions.find(session)) ?? {};
      const revoke = (until: number | null) =>
        store.revocations.revoke(entry('IDENTITY', user.id, until), createdAt + 2);
      assert.equal(await revoke(createdAt - 1), 0);
      assert.equal(await isAlive(session), true);
      assert.equal(await revoke(createdAt), 1);
      assert.equal(await isAlive(session), false);
      const later = await openSession(store, user);
      assert.equal(await revoke(null), 1);
      assert.equal(await isAlive(later), false);
    });

    test('of unknown entities are not stored', async () => {
      for (const type of ['IDENTITY', 'API_SESSION'] as const) {
        const id = uniqueName('nothing');
        assert.equal(await store.revocations.revoke(entry(type, id), t0), null);
        assert.equal(await store.revocations.find(asId(id)), null);
      }
    });

    test('expire', async () => {
      const jti: string = uniqueName('jti');
      await store.revocations.revoke({ ...entry('JTI', jti), expiresAt: t0 - 30 * HOUR }, t0 - 31 * HOUR);
      await store.expiry.deleteExpired(t0 - 30 * HOUR, 1000);
      assert.equal(await store.revocations.find(asId(jti)), null);
    });
  });
}
