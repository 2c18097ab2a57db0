import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUtf8, MalformedInput, textOfFile } from './strict-input.ts';

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

test('a file that a person wrote may have a byte order mark, and another encoding is named with its line', () => {
  assert.equal(textOfFile(Buffer.from('\ufeffeins\n')), 'eins\n');
  for (const [bytes, said] of [
    [Buffer.from('a\nb\nM\u00fcller', 'latin1'), /^line 3 is not in UTF-8/],
    [Buffer.from('\ufeffa', 'utf16le'), /UTF-16/],
    [Buffer.from([0xfe, 0xff, 0, 0x61]), /UTF-16/],
    [Buffer.from('ab', 'utf16le'), /UTF-16/],
    [Buffer.from('ab', 'utf16le').swap16(), /UTF-16/],
    [Buffer.from([0x61, 0xc3]), /^line 1/],
    [Buffer.from([0x30, 0x82, 0x01, 0xff]), /DER.*PEM/],
  ] as const) {
    const refused = (error: unknown) => error instanceof MalformedInput && said.test(error.reason);
    assert.throws(() => textOfFile(bytes), refused);
  }
});
