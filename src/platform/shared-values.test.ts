import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedValues } from './shared-values.ts';

test('equal lists become one, which nobody can change, and no other value does', () => {
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
