import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openWholeView, recentView } from './caches.ts';

/** A store of one text, read in two steps: a test can change it between them. */
function slowStore() {
  const rows = new Map<string, string>();
  const begun: (() => void)[] = [];
  let reads = 0;
  return {
    rows,
    reads: () => reads,
    /** Takes the state at once, and gives it back when the test says so. */
    load: (key: string) => async () => {
      reads += 1;
      const row = rows.get(key) ?? null;
      await new Promise<void>((resolve) => begun.push(resolve));
      return row;
    },
    finish: () => {
      for (const resolve of begun.splice(0)) resolve();
    },
  };
}

describe('a view of what was used recently', () => {
  /** Every place where a change of `key` may come while `key` is read. */
  const changes: Readonly<Record<string, (view: ReturnType<typeof recentView<string, string>>) => void>> = {
    'the value read': (view) => view.changed('one'),
    'any value': (view) => view.allChanged(),
  };
  for (const [of, change] of Object.entries(changes))
    test(`remembers nothing whose read began before a change of ${of} and ended after it`, async () => {
      const store = slowStore();
      const view = recentView<string, string>(10);
      store.rows.set('one', 'before');
      const read = view.read('one', store.load('one'));
      store.rows.set('one', 'after');
      change(view);
      store.finish();
      assert.equal(await read, 'before', 'the call began before the change');
      assert.equal(view.get('one'), undefined);
      const again = view.read('one', store.load('one'));
      store.finish();
      await again;
      assert.equal(view.get('one'), 'after');
      assert.equal(store.reads(), 2);
    });

  test('remembers nothing whose read ends after its change, though another read has ended in between', async () => {
    const store = slowStore();
    const view = recentView<string, string>(10);
    store.rows.set('one', 'before');
    const late = store.load('one')();
    const slow = view.read('one', () => late);
    store.rows.set('one', 'after');
    view.changed('one');
    await view.read('one', async () => 'after');
    store.finish();
    await slow;
    assert.equal(view.get('one'), 'after');
  });

  test('uses a value only while what it depends on is the same as when its read began', async () => {
    const store = slowStore();
    let version: number | null = 1;
    const view = recentView<string, string>(10, { dependsOn: () => version });
    store.rows.set('one', 'first');
    const read = view.read('one', store.load('one'));
    version = 2;
    store.finish();
    assert.equal(await read, 'first');
    assert.equal(view.get('one'), undefined);
    await view.read('one', async () => 'second');
    assert.equal(view.get('one'), 'second');
    version = null;
    assert.equal(view.get('one'), undefined);
    await view.read('two', async () => 'not remembered');
    assert.equal(view.peek('two'), undefined);
  });

  test('keeps of a value what it is told to, remembers no failure and nothing that is not there', async () => {
    const dropped: string[] = [];
    const view = recentView<string, string>(10, {
      keep: (value, key) => `${key} ${value}`,
      onDrop: (value) => dropped.push(value),
    });
    assert.equal(await view.read('one', async () => 'value'), 'one value');
    assert.equal(view.get('one'), 'one value');
    assert.equal(await view.read('two', async () => null), null);
    await assert.rejects(
      view.read('two', () => Promise.reject(new Error('away'))),
      /away/,
    );
    assert.equal(view.get('two'), undefined);
    view.changed('one');
    assert.deepEqual(dropped, ['one value']);
  });

  test('forgets every value when any may have changed', async () => {
    const view = recentView<string, string>(10);
    for (const key of ['one', 'two']) await view.read(key, async () => key);
    view.allChanged();
    for (const key of ['one', 'two']) assert.equal(view.get(key), undefined);
  });
});

test('a view of all entities reads each again when it has changed, and keeps an unchanged one as it is', async () => {
  interface Row {
    readonly id: string;
    readonly name: string;
  }
  const rows = new Map<string, Row>();
  const put = (id: string, name: string) => rows.set(id, { id, name });
  put('a', 'first');
  put('b', 'second');
  const seen: unknown[] = [];
  const view = await openWholeView({
    store: {
      listAll: async () => structuredClone([...rows.values()]),
      find: async (id: string) => structuredClone(rows.get(id) ?? null),
    },
    ready: ({ name }: Row) => ({ shown: name.toUpperCase() }),
    onChange: (id, before, now) => seen.push([id, before?.name, now?.name]),
  });
  const [a] = view.all();
  assert.deepEqual(view.all(), [{ shown: 'FIRST' }, { shown: 'SECOND' }]);
  await view.allChanged();
  await view.changed('a');
  assert.equal(view.find('a'), a);
  assert.deepEqual(seen, []);

  put('a', 'other');
  await view.changed('a');
  assert.deepEqual(view.find('a'), { shown: 'OTHER' });
  rows.delete('b');
  put('c', 'third');
  await view.allChanged();
  assert.deepEqual(view.all(), [{ shown: 'OTHER' }, { shown: 'THIRD' }]);
  rows.delete('a');
  await view.changed('a');
  assert.equal(view.find('a'), undefined);
  assert.deepEqual(seen, [
    ['a', 'first', 'other'],
    ['b', 'second', undefined],
    ['c', undefined, 'third'],
    ['a', 'other', undefined],
  ]);
});
