import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oidcChallenge } from '../../errors/challenge.ts';
import { formatChallenge, quotedString } from './challenges.ts';

describe('challenges', () => {
  test('id and issuer come last', () => {
    const line = formatChallenge({
      scheme: 'Bearer',
      realm: 'overlay-secondary-ext-jwt',
      error: 'missing',
      errorDescription: 'no matching token was provided',
      id: 'a|b',
      issuer: 'https://one.example|https://two.example',
    });
    assert.ok(line.endsWith(', id="a|b", issuer="https://one.example|https://two.example"'), line);
  });

  test('quotes and backslashes are escaped', () => {
    assert.equal(quotedString('a"b\\c'), '"a\\"b\\\\c"');
  });

  test('an issuer that a header cannot carry is omitted', () => {
    for (const issuer of ['a\r\nSet-Cookie: x', 'a\nb', 'a\u0000b', 'é', '\u2028', '\u007f', 'a\tb']) {
      assert.throws(() => quotedString(issuer), RangeError);
      const line = formatChallenge({ ...oidcChallenge('invalid'), id: 'x"y', issuer });
      assert.ok(line.endsWith(', id="x\\"y"'), line);
    }
  });
});
