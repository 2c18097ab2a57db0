import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denySet } from './deny-set.ts';

test('what was withdrawn is denied from the start, and forgotten when its tokens have expired', () => {
  const set = denySet([
    { id: 'one', expiresAt: 100 },
    { id: 'two', expiresAt: 101 },
  ]);
  set.add('three', 200);
  assert.deepEqual(['one', 'two', 'three', 'four'].map(set.has), [true, true, true, false]);
  set.prune(100);
  assert.deepEqual(['one', 'two', 'three'].map(set.has), [false, true, true]);
  assert.equal(set.size, 2);
  set.remove('two');
  assert.equal(set.has('two'), false);
  assert.equal(denySet().size, 0);
});
