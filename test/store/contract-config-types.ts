import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigTypeId } from '../../src/model/ids.ts';
import { AlreadyTaken } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { newId, query, t0, uniqueName } from './fixtures.ts';

const newConfigType = (name = uniqueName('type')) => ({ id: newId<ConfigTypeId>(), name, tags: { a: 1 } });

const taken = (field: string) => (error: unknown) => error instanceof AlreadyTaken && error.field === field;

export function configTypeTests({ store }: SharedDatabase): void {
  describe('configuration types', () => {
    test('are found by id and by name, changed and deleted', async () => {
      const [one, other] = [newConfigType(), newConfigType()];
      for (const each of [one, other]) await store.configTypes.create(each, t0);
      assert.deepEqual(await store.configTypes.find(one.id), { ...one, createdAt: t0, updatedAt: t0 });
      const found = await store.configTypes.findByNames([one.name, other.name, uniqueName('nothing')]);
      assert.deepEqual(found.map(({ id }) => id).sort(), [one.id, other.id].sort());
      assert.deepEqual(await store.configTypes.findByNames([]), []);
      assert.equal(await store.configTypes.update(one.id, { tags: {} }, t0 + 1), true);
      const changed = { ...one, tags: {}, createdAt: t0, updatedAt: t0 + 1 };
      assert.deepEqual(await store.configTypes.find(one.id), changed);
      const filter = { op: '=', field: 'name', value: one.name } as const;
      assert.deepEqual((await store.configTypes.list(query({ filter }))).items, [changed]);
      assert.equal(await store.configTypes.delete(one.id, t0), true);
      assert.equal(await store.configTypes.delete(one.id, t0), false);
      assert.equal(await store.configTypes.update(one.id, {}, t0), false);
      assert.equal(await store.configTypes.find(one.id), null);
    });

    test('have a unique id and name', async () => {
      const [one, other] = [newConfigType(), newConfigType()];
      for (const each of [one, other]) await store.configTypes.create(each, t0);
      await assert.rejects(store.configTypes.create({ ...newConfigType(), id: one.id }, t0), taken('id'));
      await assert.rejects(store.configTypes.create(newConfigType(one.name), t0), taken('name'));
      await assert.rejects(store.configTypes.update(other.id, { name: one.name }, t0), taken('name'));
    });
  });
}
