import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import { asId, type SignerId } from '../model/ids.ts';
import type { ExternalJwtSignerStore } from '../store/contracts/entities.ts';
import { openSignerView } from './session-view.ts';

test('a signer that is read again unchanged stays the same object, so that logins under way continue', async () => {
  const id = asId<SignerId>('one');
  const stored = { id, name: 'one', enabled: true, scopes: ['openid'] } as unknown as ExternalJwtSigner;
  let current = stored;
  const store = {
    listAll: async () => [structuredClone(current)],
    find: async () => structuredClone(current),
  } as unknown as ExternalJwtSignerStore;
  const view = await openSignerView({ externalJwtSigners: store }, { forget: () => {} });
  const first = view.find(id);
  await view.allChanged();
  await view.changed(id);
  assert.equal(view.find(id), first);
  current = { ...stored, enabled: false };
  await view.changed(id);
  assert.equal(view.find(id)?.enabled, false);
});
