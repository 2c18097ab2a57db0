import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceOf } from './connections.ts';

test('a source is an IPv4 address or an IPv6 /64', () => {
  const table: readonly [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ];
  for (const [address, source] of table) assert.equal(sourceOf(address), source, address);
});
