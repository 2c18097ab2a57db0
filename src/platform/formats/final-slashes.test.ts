import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { discoveryAddress } from '../jwk/jwks-cache.ts';
import { withoutFinalSlashes } from './final-slashes.ts';

test('slashes at the end of an address are dropped, and no others', () => {
  for (const [given, expected] of [
    ['https://idp.example', 'https://idp.example'],
    ['https://idp.example/', 'https://idp.example'],
    ['https://idp.example/a//', 'https://idp.example/a'],
    ['https://idp.example//a', 'https://idp.example//a'],
    ['///', ''],
    ['', ''],
  ] as const)
    assert.equal(withoutFinalSlashes(given), expected);
});

test('the discovery document is below an address with and without a final slash or a query', () => {
  const document = '.well-known/openid-configuration';
  for (const [given, expected] of [
    ['https://idp.example', `https://idp.example/${document}`],
    ['https://idp.example//', `https://idp.example/${document}`],
    ['https://idp.example/a/?p=b/', `https://idp.example/a/${document}?p=b/`],
    ['https://idp.example/a?p=b', `https://idp.example/a/${document}?p=b`],
  ] as const)
    assert.equal(discoveryAddress(given), expected);
});

test('a long run of slashes in an address costs nothing', () => {
  const hostile = `https://idp.example${'/'.repeat(65_000)}a`;
  assertCostsLess(500, () => withoutFinalSlashes(hostile));
  assertCostsLess(500, () => discoveryAddress(hostile));
});
