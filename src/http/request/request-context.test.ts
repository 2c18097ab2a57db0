import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../../errors/auth-error.ts';
import { systemRandom } from '../../platform/random.ts';
import { bearerTokens, referenceIds } from './request-context.ts';

test('a line gives the token after the scheme, however it is written', () => {
  for (const [line, tokens] of [
    ['Bearer abc.def-_~+/=', ['abc.def-_~+/=']],
    ['bearer abc', ['abc']],
    ['BEARER   abc ', ['abc']],
    ['Bearer \tabc', ['abc']],
    ['Bearer abc def', ['abc def']],
    ['Bearer abc\u00a0', ['abc']],
    ['Bearer ', []],
    ['Bearer', []],
    ['Bearer, bearer b', ['b']],
    ['Bearer a, Bearer b', ['a', 'b']],
    ['Bearer a,Basic eDp5,bearer b', ['a', 'b']],
    ['Basic eDp5', []],
    ['Bearerabc', []],
    ['Bearer\tabc', []],
    ['abc', []],
    ['', []],
  ] as const) {
    assert.deepEqual(bearerTokens([line]), tokens, JSON.stringify(line));
  }
});

test('the tokens of several lines are in their order, and four are too many', () => {
  assert.deepEqual(bearerTokens(['Bearer a', 'Basic eDp5', 'bearer b, Bearer c']), ['a', 'b', 'c']);
  assert.deepEqual(bearerTokens([]), []);
  assert.throws(() => bearerTokens(['Bearer a, Bearer b, Bearer c, Bearer d']), AuthError);
});

test('reference ids are ten readable characters and do not repeat', () => {
  const next = referenceIds(systemRandom);
  const ids = new Set(Array.from({ length: 5000 }, next));
  assert.equal(ids.size, 5000);
  for (const id of ids) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{10}$/);
});
