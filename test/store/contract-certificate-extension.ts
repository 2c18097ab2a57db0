import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiSessionId, type AuthenticatorId, asId } from '../../src/model/ids.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, newId, t0, uniqueName } from './fixtures.ts';

export function certificateExtensionTests({ store }: SharedDatabase): void {
  async function certificateOf(store: Store) {
    const { id: identityId } = await createUser(store);
    const id = newId<AuthenticatorId>();
    const thumbprint = uniqueName('thumbprint');
    await store.authenticators.createCertificate(
      { id, identityId, certPem: 'PEM', thumbprint, tags: {} },
      t0,
    );
    const keep = (hasNewKey: boolean) => {
      const successor = uniqueName('successor');
      const kept = { id, currentThumbprint: thumbprint, certPem: 'NEXT', thumbprint: successor, hasNewKey };
      return store.authenticators.keepSuccessor(kept).then((isKept) => (isKept ? successor : null));
    };
    const promote = (successor: string | null) =>
      store.authenticators.promoteSuccessor({
        id,
        thumbprint: successor ?? '',
        now: t0,
        exceptSession: asId<ApiSessionId>('none'),
      });
    return { id, keep, promote };
  }

  describe('the successor of a certificate', () => {
    test('takes its place once, and does what was requested', async () => {
      const { id, keep, promote } = await certificateOf(store);
      await store.authenticators.requestExtension(id, false, t0);
      const successor = await keep(false);
      assert.deepEqual([await promote(successor), await promote(successor)], [true, false]);
      const found = await store.authenticators.find(id);
      assert.ok(found?.method === 'cert');
      assert.deepEqual(
        [found.thumbprint, found.certPem, found.isExtendRequested],
        [successor, 'NEXT', false],
      );
    });

    test('is withdrawn when a new key is asked for, and one with the former key is not kept from then on', async () => {
      const { id, keep, promote } = await certificateOf(store);
      const before = await keep(false);
      assert.ok(before !== null);
      await store.authenticators.requestExtension(id, true, t0);
      assert.equal(await promote(before), false);
      assert.equal(await keep(false), null);
      const found = await store.authenticators.find(id);
      assert.ok(found?.method === 'cert' && found.isKeyRollRequested);
      assert.equal(await promote(await keep(true)), true);
    });
  });
}
