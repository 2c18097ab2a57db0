import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CaId } from '../../src/model/ids.ts';
import type { FeedPosition } from '../../src/store/contracts/changes.ts';
import type { FetchedList } from '../../src/store/contracts/revocation-lists.ts';
import type { SharedDatabase } from './contract.ts';
import { newVoucher } from './contract-cas.ts';
import { DAY, HOUR, newId, t0 } from './fixtures.ts';

const url = 'http://pki.example.com/ca.crl';

function newList(caId: CaId, changes: Partial<FetchedList> = {}): FetchedList {
  return {
    caId,
    url,
    issuer: 'CN=CA',
    isDelta: false,
    listNumber: '9',
    thisUpdate: t0,
    nextUpdate: t0 + DAY,
    entries: 2,
    issuerPem: 'PEM',
    der: 'AAAA',
    ...changes,
  };
}

export function revocationListTests({ store }: SharedDatabase): void {
  const feed = async (caId: CaId, seq: FeedPosition) =>
    (await store.changes.readAfter(seq)).changes.filter(({ entityId }) => entityId === caId).length;

  describe('revocation lists', () => {
    test('are kept by address, the newest one, and every node learns of another one', async () => {
      const { id } = await newVoucher(store);
      const seq = await store.changes.latest();
      const list = newList(id);
      assert.equal(await store.revocationLists.keep(list, t0), 'new');
      assert.equal(await store.revocationLists.keep(list, t0 + HOUR), 'known');
      assert.equal(await feed(id, seq), 1);
      assert.equal(
        await store.revocationLists.keep(newList(id, { listNumber: '8', der: 'BBBB' }), t0),
        'older',
      );
      assert.equal(await store.revocationLists.keep(newList(id, { issuer: 'CN=Other' }), t0), 'other-issuer');
      assert.deepEqual(await store.revocationLists.find(id, url), list);
      // `9` is less than `10`, which is longer.
      const next = newList(id, { listNumber: '10', der: 'CCCC' });
      assert.equal(await store.revocationLists.keep(next, t0 + HOUR), 'new');
      assert.deepEqual(await store.revocationLists.find(id, url), next);
      assert.equal(await feed(id, seq), 2);
      assert.equal(await store.revocationLists.keep(newList(newId<CaId>()), t0), 'gone');
    });

    test('of several calls at once, the newest stays', async () => {
      const { id } = await newVoucher(store);
      const lists = ['3', '5', '4'].map((listNumber) => newList(id, { listNumber, der: listNumber }));
      await Promise.all(lists.map((list) => store.revocationLists.keep(list, t0)));
      assert.equal((await store.revocationLists.find(id, url))?.listNumber, '5');
    });

    test('keep the last one while no other can be had, and say why', async () => {
      const { id } = await newVoucher(store);
      await store.revocationLists.noteFailure({ caId: id, url, error: 'no answer' }, t0);
      assert.equal(await store.revocationLists.find(id, url), null);
      await store.revocationLists.keep(newList(id), t0 + HOUR);
      await store.revocationLists.noteFailure({ caId: id, url, error: 'no answer' }, t0 + DAY);
      const [state] = await store.revocationLists.describe(id);
      const { error, triedAt, fetchedAt, entries } = state ?? {};
      assert.deepEqual([error, triedAt, fetchedAt, entries], ['no answer', t0 + DAY, t0 + HOUR, 2]);
      await store.revocationLists.noteFailure({ caId: newId<CaId>(), url, error: 'no answer' }, t0);
    });

    test('of other addresses than the ones that count are forgotten', async () => {
      const { id } = await newVoucher(store);
      const other = 'http://pki.example.com/other.crl';
      for (const address of [url, other]) await store.revocationLists.keep(newList(id, { url: address }), t0);
      await store.revocationLists.keepOnly(id, [other], t0);
      const states = await store.revocationLists.describe(id);
      assert.deepEqual(
        states.map((state) => state.url),
        [other],
      );
    });
  });
}
