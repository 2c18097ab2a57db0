import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../clock.ts';
import { type SharedLimit, sharedLimit, sourceLoad, sourcesOf, widestSource } from './sources.ts';

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

  test('the holder of a /48 of IPv6 has eight shares, not 65,536', () => {
    const limit = sharedLimit({ most: 1000, share: 10 });
    const networks = Array.from({ length: 500 }, (_, at) => `2001:db8:7:${at.toString(16)}::1`);
    assert.equal(placesFor(limit, networks.slice(0, 1)), 10);
    assert.equal(placesFor(limit, networks), 70);
    assert.equal(placesFor(limit, ['2001:db8:8::1']), 10);
    assert.equal(placesFor(limit, ['an-identity']), 10);
  });
});

const sourcePrefix = (address: string) => sourcesOf(address)[0].prefix;

describe('the source of requests', () => {
  test('is the address, and of IPv6 the /64, however it is written', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['::FFFF:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
      ['2001:0DB8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['1::', '1:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      // Of a connection that is gone already.
      ['', ''],
    ];
    for (const [address, prefix] of cases) assert.equal(sourcePrefix(address), prefix, address);
  });

  test('is of IPv6 the /48 too, with more shares', () => {
    assert.deepEqual(sourcesOf('2001:db8:1:2::1'), [
      { prefix: '2001:db8:1:2::/64', shares: 1 },
      { prefix: '2001:db8:1::/48', shares: 8 },
    ]);
    assert.equal(widestSource('2001:db8:1:2::1'), '2001:db8:1::/48');
    assert.equal(widestSource('192.0.2.7'), '192.0.2.7');
    for (const one of ['192.0.2.7', '::ffff:192.0.2.7', 'an-identity']) {
      assert.deepEqual(sourcesOf(one), [{ prefix: sourcePrefix(one), shares: 1 }]);
    }
  });

  test('differs for neighbouring networks', () => {
    assert.notEqual(sourcePrefix('2001:db8:1:2::1'), sourcePrefix('2001:db8:1:3::1'));
    assert.notEqual(sourcePrefix('192.0.2.7'), sourcePrefix('192.0.2.8'));
  });
});

describe('requests of strangers without a proof', () => {
  test('comes back with time, and with proofs', () => {
    let now = 0;
    const load = sourceLoad({ clock: { ...systemClock, monotonic: () => now } });
    const taken = () => {
      let count = 0;
      while (load.count('192.0.2.7')) count += 1;
      return count;
    };
    assert.equal(taken(), 10_000);
    now += 1000;
    assert.equal(taken(), 500);
    load.giveBack('192.0.2.7');
    assert.equal(taken(), 1);
    assert.ok(load.count('192.0.2.8'));
  });

  test('is bounded for a whole IPv6 network, which has as many addresses as it likes', () => {
    const load = sourceLoad({ clock: { ...systemClock, monotonic: () => 0 } });
    let count = 0;
    for (let at = 0; at < 100_000; at += 1)
      if (load.count(`2001:db8:1:${(at % 60_000).toString(16)}::1`)) count += 1;
    assert.equal(count, 80_000);
    assert.ok(load.count('2001:db8:2::1'));
  });
});
