import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sourcesOf, widestSource } from './source-prefix.ts';

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
