import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../platform/random.ts';
import { codeChallenge, newAttempt } from './pkce.ts';

test('the challenge is that of RFC 7636 appendix B', () => {
  assert.equal(
    codeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

test('every attempt has secrets of its own, as long as RFC 7636 asks', () => {
  const [one, two] = [newAttempt(systemRandom), newAttempt(systemRandom)];
  const secrets = [one, two].flatMap(({ codeVerifier, state, nonce }) => [codeVerifier, state, nonce]);
  assert.equal(new Set(secrets).size, 6);
  for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);
});
