import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recentMap, sharedValues } from './caches.ts';

describe('a map of recently used values', () => {
  test('keeps as many of the keys used last as it promises, and at most twice as many', () => {
    const map = recentMap<number, string>(10);
    for (let key = 0; key < 1000; key += 1) {
      map.set(key, `value ${key}`);
      for (let before = Math.max(0, key - 9); before <= key; before += 1) {
        assert.equal(map.peek(before), `value ${before}`);
      }
      assert.equal(map.peek(key - 20), undefined);
    }
  });

  test('used values stay, even if many others come; values that are only peeked at do not', () => {
    const map = recentMap<string, number>(10);
    map.set('used', 1);
    map.set('looked at', 2);
    for (let key = 0; key < 1000; key += 1) {
      map.set(`other ${key}`, key);
      assert.equal(map.get('used'), 1);
      map.peek('looked at');
    }
    assert.equal(map.peek('looked at'), undefined);
  });

  test('a key has one value, the last, and none once it is deleted, in either half', () => {
    const map = recentMap<string, number>(3);
    map.set('key', 1);
    map.set('a', 0);
    map.set('b', 0);
    map.set('key', 2);
    assert.equal(map.get('key'), 2);
    map.delete('key');
    assert.equal(map.get('key'), undefined);
    map.delete('a');
    assert.equal(map.get('a'), undefined);
    assert.equal(map.get('b'), 0);
    map.clear();
    assert.equal(map.get('b'), undefined);
  });

  test('a value that was used again has no older copy, which would be found once it is deleted', () => {
    const map = recentMap<string, number>(2);
    map.set('key', 1);
    map.set('a', 0);
    assert.equal(map.get('key'), 1);
    map.delete('key');
    assert.equal(map.get('key'), undefined);
  });

  test('looking for what is not there pushes nothing out', () => {
    const map = recentMap<string, number>(2);
    map.set('a', 1);
    for (let key = 0; key < 100; key += 1) map.get(`unknown ${key}`);
    assert.deepEqual(map.entries(), [['a', 1]]);
  });

  test('lists what it holds, values used last at the end', () => {
    const map = recentMap<string, number>(3);
    for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, at);
    map.get('b');
    assert.deepEqual(map.entries().slice(-2), [
      ['d', 3],
      ['b', 1],
    ]);
    assert.deepEqual(new Map(map.entries()), new Map(Object.entries({ a: 0, b: 1, c: 2, d: 3 })));
  });

  test('reports each value that it drops, once', () => {
    const dropped: [string, number][] = [];
    const map = recentMap<string, number>(2, (value, key) => dropped.push([key, value]));
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    assert.deepEqual(dropped, []);
    map.set('c', 4);
    assert.deepEqual(dropped.splice(0), [['b', 2]]);
    map.delete('c');
    map.delete('c');
    assert.deepEqual(dropped.splice(0), [['c', 4]]);
    map.set('d', 5);
    map.clear();
    assert.deepEqual(dropped.splice(0).sort(), [
      ['a', 3],
      ['d', 5],
    ]);
  });
});

test('equal lists become one, which cannot be changed, and no other value does', () => {
  const { list } = sharedValues();
  const one = list(['a', 'b']);
  assert.equal(list(['a', 'b']), one);
  assert.throws(() => (one as string[]).push('c'), TypeError);
  const others = [['a'], ['b', 'a'], ['a b'], ['a,b'], ['a","b'], ['["a","b"]'], [], ['']];
  for (const other of others) {
    assert.deepEqual(list([...other]), other);
    assert.notEqual(list([...other]), one);
  }
});

test('texts stay what they are', () => {
  const { text, list } = sharedValues(2);
  list(['a']);
  for (const value of ['["a"]', '', '__proto__', 'constructor', 'x'.repeat(10_000), 'a', 'b', 'c', 'a'])
    assert.equal(text(value), value);
});

test('only so many are kept, and none that is long', () => {
  const { list } = sharedValues(2);
  const one = list(['a']);
  list(['b']);
  assert.equal(list(['a']), one);
  list(['c']);
  assert.notEqual(list(['a']), one, 'forgotten');
  const long = ['x'.repeat(300)];
  assert.notEqual(list([...long]), list([...long]));
});
