import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase32, encodeBase32, matchingTimeStep, timeStepAt, totpCode } from './totp-code.ts';

const seed = Buffer.from('12345678901234567890');

test('the vectors of RFC 4226 appendix D', () => {
  const expected = [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ];
  for (const [counter, code] of expected.entries()) assert.equal(totpCode(seed, counter), code);
});

test('the SHA-1 vectors of RFC 6238 appendix B, in six digits', () => {
  const expected = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const;
  for (const [seconds, code] of expected) assert.equal(totpCode(seed, timeStepAt(seconds * 1000)), code);
});

test('a code is accepted as many steps early and late as asked for, and no more', () => {
  const now = 1111111111 * 1000;
  const step = timeStepAt(now);
  for (const drift of [-1, 0, 1])
    assert.equal(matchingTimeStep(seed, totpCode(seed, step + drift), { now, drift: 1 }), step + drift);
  for (const drift of [-2, 2])
    assert.equal(matchingTimeStep(seed, totpCode(seed, step + drift), { now, drift: 1 }), undefined);
});

test('a text that is not six ASCII digits is not a code', () => {
  const now = 59_000;
  for (const text of [
    '',
    '28708',
    '2870820',
    ' 287082',
    '287082 ',
    '２８７０８２',
    '287 082',
    '+28708',
    '0x1234',
    '287082\n',
  ]) {
    assert.equal(matchingTimeStep(seed, text, { now, drift: 1 }), undefined, JSON.stringify(text));
  }
});

test('the vectors of RFC 4648 in base32, without padding', () => {
  const expected = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [text, encoded] of Object.entries(expected))
    assert.equal(encodeBase32(Buffer.from(text)), encoded);
});

test('the vectors of RFC 4648 section 10, in both directions', () => {
  const vectors = [
    ['', ''],
    ['f', 'MY======'],
    ['fo', 'MZXQ===='],
    ['foo', 'MZXW6==='],
    ['foob', 'MZXW6YQ='],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI======'],
  ] as const;
  for (const [text, padded] of vectors) {
    const plain = padded.replace(/=/g, '');
    assert.equal(encodeBase32(Buffer.from(text)), plain);
    for (const spelled of [padded, plain, plain.toLowerCase()]) {
      assert.deepEqual(decodeBase32(spelled), Buffer.from(text), spelled);
    }
  }
  for (let length = 0; length < 40; length += 1) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 37 + length * 11) & 0xff));
    assert.deepEqual(decodeBase32(encodeBase32(bytes)), bytes);
  }
});

test('a text that is not base32 decodes to nothing', () => {
  for (const text of ['MZXW1', 'M ZXW', 'MZXW6!', '!MZXW6', 'MZ=XW6', '=MZXW', 'MZXW6YTB\n', '\u00c0']) {
    assert.equal(decodeBase32(text), undefined, JSON.stringify(text));
  }
});
