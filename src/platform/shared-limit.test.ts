import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SharedLimit, sharedLimit } from './shared-limit.ts';

/** How many places these sources get, in turn, until none of them gets any. */
function placesFor(limit: SharedLimit, sources: readonly string[]): number {
  let count = 0;
  for (let isTaken = true; isTaken; ) {
    isTaken = false;
    for (const source of sources) {
      if (limit.take(source) === null) continue;
      count += 1;
      isTaken = true;
    }
  }
  return count;
}

describe('a limit with shares', () => {
  test('gives each source its share, and no more places than there are', () => {
    const limit = sharedLimit({ most: 10, share: 4 });
    assert.equal(placesFor(limit, ['192.0.2.1']), 4);
    assert.equal(placesFor(limit, ['192.0.2.1', '192.0.2.2']), 4);
    assert.equal(placesFor(limit, ['192.0.2.3', '192.0.2.4']), 2);
  });

  test('one source may take what is free, and others then still get their shares', () => {
    const limit = sharedLimit({ most: 10, free: 5, share: 1 });
    assert.equal(placesFor(limit, ['192.0.2.1']), 5);
    assert.equal(placesFor(limit, ['192.0.2.2', '192.0.2.3']), 2);
  });

  test('a place that is given back is free again, once', () => {
    const limit = sharedLimit({ most: 2, share: 1 });
    const leave = limit.take('192.0.2.1');
    assert.equal(limit.take('192.0.2.1'), null);
    leave?.();
    leave?.();
    assert.ok(limit.take('192.0.2.1'));
    assert.ok(limit.take('192.0.2.2'));
    assert.equal(limit.take('192.0.2.3'), null);
  });

  test('whoever has a /48 of IPv6 has eight shares, not 65,536', () => {
    const limit = sharedLimit({ most: 1000, share: 10 });
    const networks = Array.from({ length: 500 }, (_, at) => `2001:db8:7:${at.toString(16)}::1`);
    assert.equal(placesFor(limit, networks.slice(0, 1)), 10);
    assert.equal(placesFor(limit, networks), 70);
    assert.equal(placesFor(limit, ['2001:db8:8::1']), 10);
    assert.equal(placesFor(limit, ['an-identity']), 10);
  });
});
