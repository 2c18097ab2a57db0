import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuthenticatorId, IdentityId } from '../../src/model/ids.ts';
import { mostPasskeys } from '../../src/model/passkey.ts';
import type { NewPasskey } from '../../src/store/contracts/passkeys.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, HOUR, newId, t0, uniqueName } from './fixtures.ts';

const added = { now: t0, mustBeFirst: false };

function newPasskey(identityId: IdentityId, changes: Partial<NewPasskey> = {}): NewPasskey {
  return {
    id: newId<AuthenticatorId>(),
    identityId,
    name: 'Key',
    rpId: 'localhost',
    credentialId: uniqueName('credential'),
    publicKey: 'key',
    counter: 0,
    aaguid: '00000000-0000-0000-0000-000000000000',
    isModelProven: false,
    transports: ['usb'],
    isDiscoverable: true,
    isBackupEligible: false,
    isBackedUp: false,
    ...changes,
  };
}

export function passkeyTests({ store }: SharedDatabase): void {
  const listOf = (identityId: IdentityId) => store.passkeys.listOf([identityId]);

  describe('passkeys', () => {
    test('come back as they were added, and every node learns it', async () => {
      const { id } = await createUser(store);
      const seq = await store.changes.latest();
      const passkey = newPasskey(id);
      assert.equal(await store.passkeys.add(passkey, { now: t0, mustBeFirst: true }), 'added');
      const stored = { ...passkey, clonedAt: null, createdAt: t0, lastUsedAt: null };
      assert.deepEqual(await listOf(id), [stored]);
      const login = await store.passkeys.findLogin(passkey.credentialId);
      assert.deepEqual([login?.passkey, login?.account.identity.id], [stored, id]);
      const { changes } = await store.changes.readAfter(seq);
      assert.deepEqual(
        changes.filter(({ entityId }) => entityId === id).map(({ kind }) => kind),
        ['identity'],
      );
      assert.equal(await store.passkeys.add(newPasskey(id), { now: t0, mustBeFirst: true }), 'not-first');
      assert.equal(await store.passkeys.add({ ...passkey, id: newId() }, added), 'taken');
    });

    test('are bounded in number, however many callers add one at once', async () => {
      const { id } = await createUser(store);
      const all = Array.from({ length: mostPasskeys + 2 }, () => store.passkeys.add(newPasskey(id), added));
      const outcomes = await Promise.all(all);
      assert.equal(outcomes.filter((outcome) => outcome === 'too-many').length, 2);
      assert.equal((await listOf(id)).length, mostPasskeys);
    });

    test('accept one of several uses with the same counter, and note the others', async () => {
      const { id } = await createUser(store);
      const passkey = newPasskey(id, { counter: 4 });
      await store.passkeys.add(passkey, added);
      const use = { id: passkey.id, counter: 5, isBackedUp: true, now: t0 + HOUR };
      const outcomes = await Promise.all([1, 2, 3].map(() => store.passkeys.use(use)));
      assert.deepEqual(outcomes.toSorted(), ['cloned', 'cloned', 'used']);
      const [kept] = await listOf(id);
      const { counter, isBackedUp, lastUsedAt, clonedAt } = kept ?? {};
      assert.deepEqual([counter, isBackedUp, lastUsedAt, clonedAt], [5, true, t0 + HOUR, t0 + HOUR]);
      assert.equal(await store.passkeys.use({ ...use, counter: 0 }), 'cloned');
      assert.equal(await store.passkeys.use({ ...use, id: newId() }), 'gone');
    });

    test('that do not count accept each use', async () => {
      const { id } = await createUser(store);
      const passkey = newPasskey(id);
      await store.passkeys.add(passkey, added);
      const use = { id: passkey.id, counter: 0, isBackedUp: false, now: t0 };
      assert.deepEqual([await store.passkeys.use(use), await store.passkeys.use(use)], ['used', 'used']);
    });

    test('are renamed and deleted by their owner only, and the last one stays where it has to', async () => {
      const [owner, other] = [await createUser(store), await createUser(store)];
      const passkey = newPasskey(owner.id);
      await store.passkeys.add(passkey, added);
      assert.equal(await store.passkeys.rename(other.id, passkey.id, 'Mine'), false);
      assert.equal(await store.passkeys.rename(owner.id, passkey.id, 'Mine'), true);
      assert.equal((await listOf(owner.id))[0]?.name, 'Mine');
      const when = { now: t0, mayBeLast: true };
      assert.equal(await store.passkeys.delete(other.id, passkey.id, when), 'unknown');
      assert.equal(await store.passkeys.delete(owner.id, passkey.id, { ...when, mayBeLast: false }), 'last');
      assert.equal(await store.passkeys.delete(owner.id, passkey.id, when), 'deleted');
      assert.deepEqual(await listOf(owner.id), []);
    });
  });
}
