import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noTokenChallenges, oidcChallenge } from '../../errors/challenge.ts';
import { challengeLines, formatChallenge, quotedString } from './challenges.ts';

describe('challenges', () => {
  test('with no token both mechanisms are named, zt-session first', () => {
    assert.deepEqual(challengeLines(noTokenChallenges), [
      'zt-session realm="zt-session", error="missing", error_description="no matching token was provided"',
      'Bearer realm="overlay-oidc", error="missing", error_description="no matching token was provided"',
    ]);
  });

  test('an expired token has words of its own', () => {
    assert.equal(
      formatChallenge(oidcChallenge('expired')),
      'Bearer realm="overlay-oidc", error="expired", error_description="token is expired"',
    );
  });

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
