import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MalformedInput } from '../formats/strict-input.ts';
import {
  childrenOf,
  derTag,
  readBoolean,
  readDer,
  readNamedBits,
  readObjectIdentifier,
  readSmallInteger,
  readText,
  readTime,
} from './der.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const read = (hex: string) => readDer(bytes(hex));

/** One element with a content of text. */
function textElement(tag: number, text: string | Buffer) {
  const content = Buffer.from(text);
  return readDer(Buffer.concat([Buffer.from([tag, content.length]), content]));
}

describe('elements', () => {
  test('are read with lengths of one and of several bytes', () => {
    assert.equal(read('04 00').content.length, 0);
    for (const length of [0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000]) {
      const size = length < 0x80 ? '' : length < 0x100 ? '81' : length < 0x10000 ? '82' : '83';
      const digits = length.toString(16);
      const header = bytes(`04${size}${digits.padStart(digits.length + (digits.length % 2), '0')}`);
      const whole = Buffer.concat([header, Buffer.alloc(length)]);
      assert.equal(readDer(whole).content.length, length);
      assert.ok(readDer(whole).whole.equals(whole));
    }
  });

  test('with any other encoding than the one of DER are refused', () => {
    for (const [what, hex] of Object.entries({
      nothing: '',
      'no length': '04',
      'too short': '04 02 00',
      'something after it': '04 00 00',
      'an indefinite length': '24 80 04 00 00 00',
      'a long form for a short length': '04 81 01 00',
      'a leading zero in the length': '04 82 00 80',
      'a length of four bytes': '04 84 00 00 00 01 00',
      'a tag of several bytes': '1f 81 01 00',
    }))
      assert.throws(() => read(hex), MalformedInput, what);
    assert.throws(() => childrenOf(read('30 03 04 02 00'), derTag.sequence), MalformedInput);
    assert.throws(() => childrenOf(read('31 00'), derTag.sequence), MalformedInput);
  });
});

describe('values', () => {
  test('object identifiers', () => {
    assert.equal(readObjectIdentifier(read('06 03 55 1d 13')), '2.5.29.19');
    assert.equal(readObjectIdentifier(read('06 09 2a 86 48 86 f7 0d 01 01 0b')), '1.2.840.113549.1.1.11');
    assert.equal(readObjectIdentifier(read('06 02 88 37')), '2.999');
    for (const hex of ['06 00', '06 02 55 80', '06 03 55 80 01', '06 07 2a ff ff ff ff ff 7f', '04 01 55'])
      assert.throws(() => readObjectIdentifier(read(hex)), MalformedInput, hex);
  });

  test('booleans', () => {
    assert.equal(readBoolean(read('01 01 ff')), true);
    assert.equal(readBoolean(read('01 01 00')), false);
    for (const hex of ['01 01 01', '01 00', '01 02 ff ff', '02 01 ff'])
      assert.throws(() => readBoolean(read(hex)), MalformedInput, hex);
  });

  test('integers', () => {
    for (const [hex, value] of [
      ['00', 0],
      ['7f', 127],
      ['0080', 128],
      ['7fffffff', 2 ** 31 - 1],
    ] as const)
      assert.equal(readSmallInteger(bytes(hex)), value);
    for (const hex of ['', '80', 'ff', '007f', '0080000000', '00ffffffff'])
      assert.throws(() => readSmallInteger(bytes(hex)), MalformedInput, hex);
  });

  test('named bits', () => {
    const bit = readNamedBits(read('03 02 02 84'));
    assert.deepEqual([0, 1, 5, 6, 8, 99].map(bit), [true, false, true, false, false, false]);
    assert.equal(readNamedBits(read('03 01 00'))(0), false);
    for (const hex of ['03 00', '03 01 01', '03 02 08 00', '03 02 02 81'])
      assert.throws(() => readNamedBits(read(hex)), MalformedInput, hex);
  });

  test('times, with two digits of the year from 1950 to 2049', () => {
    const utc = (text: string) => readTime(textElement(derTag.utcTime, text));
    const general = (text: string) => readTime(textElement(derTag.generalizedTime, text));
    assert.equal(utc('491231235959Z'), Date.UTC(2049, 11, 31, 23, 59, 59));
    assert.equal(utc('500101000000Z'), Date.UTC(1950, 0, 1));
    assert.equal(utc('240229000000Z'), Date.UTC(2024, 1, 29));
    assert.equal(general('99991231235959Z'), Date.UTC(9999, 11, 31, 23, 59, 59));
    for (const text of [
      '2402290000Z',
      '240229000000',
      '240229000000+0100',
      '230229000000Z',
      '241301000000Z',
      '240101240000Z',
      '240101006000Z',
      ' 40101000000Z',
    ])
      assert.throws(() => utc(text), MalformedInput, text);
    for (const text of ['20240101000000.5Z', '20240101000000', '240101000000Z', '20240230000000Z'])
      assert.throws(() => general(text), MalformedInput, text);
    assert.throws(() => readTime(textElement(derTag.ia5String, '240229000000Z')), MalformedInput);
    assert.throws(() => readTime(undefined), MalformedInput);
  });

  test('texts of every string type', () => {
    assert.equal(readText(textElement(derTag.utf8String, 'Käse')), 'Käse');
    assert.equal(readText(textElement(derTag.printableString, 'Kaese')), 'Kaese');
    assert.equal(readText(textElement(derTag.teletexString, bytes('4be47365'))), 'Käse');
    assert.equal(readText(textElement(derTag.bmpString, bytes('004b00e400730065'))), 'Käse');
    assert.equal(readText(textElement(derTag.universalString, bytes('0000004b0001f600'))), 'K😀');
    assert.equal(readText(textElement(derTag.integer, 'x')), undefined);
    for (const [tag, hex] of [
      [derTag.utf8String, 'c080'],
      [derTag.printableString, 'e4'],
      [derTag.bmpString, '00'],
      [derTag.bmpString, 'd83d'],
      [derTag.universalString, '00110000'],
    ] as const)
      assert.throws(() => readText(textElement(tag, bytes(hex))), MalformedInput, hex);
  });
});
