import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  constantTimeEqual,
  decodeBase64url,
  encodeBase64url,
  hmacSha256,
  sha256,
  sha256Bytes,
} from './digest.ts';

test('SHA-256 of "abc" is the published value, as text and as bytes', () => {
  const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(sha256Bytes('abc').toString('hex'), hex);
  assert.equal(sha256('abc'), Buffer.from(hex, 'hex').toString('base64url'));
  assert.equal(sha256(Buffer.from('abc')), sha256('abc'));
});

test('HMAC-SHA-256 gives the value of RFC 4231 test case 2', () => {
  assert.equal(
    hmacSha256(Buffer.from('Jefe'), 'what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('secrets are equal only when every byte and the length are', () => {
  assert.ok(constantTimeEqual('secret', 'secret'));
  assert.ok(constantTimeEqual('secret', Buffer.from('secret')));
  for (const other of ['', 'secre', 'secret ', 'Secret', 'secret\0'])
    assert.ok(!constantTimeEqual('secret', other));
});

describe('base64url', () => {
  test('decodes what it encoded, of every length', () => {
    for (let length = 0; length < 20; length += 1) {
      const bytes = Buffer.alloc(length, 0xfb);
      assert.deepEqual(decodeBase64url(encodeBase64url(bytes)), bytes);
    }
    assert.equal(encodeBase64url(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)), 'AgM');
    assert.equal(encodeBase64url('é'), 'w6k');
  });

  test('refuses every other spelling of a value', () => {
    const hostile = [
      'YQ==',
      'YQ=',
      'YR',
      'YWJ',
      '+_-A',
      '/___',
      'YQ\n',
      ' YQ',
      'Y Q',
      'Y',
      'YQé',
      'YQ\0',
      'YQ.',
    ];
    for (const text of hostile) assert.equal(decodeBase64url(text), undefined, JSON.stringify(text));
  });
});
