import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedInput } from './malformed-input.ts';
import { decodeUtf8 } from './utf8.ts';

test('UTF-8 is read, with its byte order mark left in place for the parser to refuse', () => {
  assert.equal(decodeUtf8(Buffer.from('ключ 🔑')), 'ключ 🔑');
  assert.equal(decodeUtf8(Buffer.from([0xef, 0xbb, 0xbf, 0x61])), '\ufeffa');
  assert.equal(decodeUtf8(new Uint8Array()), '');
});

test('overlong, cut and foreign encodings are refused', () => {
  for (const hex of [
    'c080',
    'c1bf',
    'e0809f',
    'f08080af',
    'eda080',
    'f4908080',
    'ff',
    '80',
    'e282',
    'fffe6100',
  ]) {
    assert.throws(() => decodeUtf8(Buffer.from(hex, 'hex')), MalformedInput, hex);
  }
  assert.equal(decodeUtf8(Buffer.from('a')), 'a', 'a refusal leaves nothing behind');
});
