import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeChallengeOf, isCodeChallenge, isCodeVerifier } from './pkce.ts';

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('the vector of RFC 7636 appendix B', () => {
  assert.equal(codeChallengeOf(verifier), challenge);
  assert.equal(isCodeChallenge(challenge), true);
  assert.equal(isCodeVerifier(verifier), true);
});

test('a challenge is exactly 43 characters of base64url', () => {
  const refused = [
    '',
    challenge.slice(1),
    `${challenge}A`,
    `${challenge.slice(1)}=`,
    `${challenge.slice(1)}+`,
    `${challenge.slice(1)}/`,
    `${challenge}\n`,
  ];
  for (const text of refused) assert.equal(isCodeChallenge(text), false, JSON.stringify(text));
});

test('a verifier is 43 to 128 unreserved characters', () => {
  for (const text of ['a'.repeat(43), 'a'.repeat(128), `${'-._~'.repeat(11)}`])
    assert.equal(isCodeVerifier(text), true);
  const good = 'a'.repeat(43);
  for (const text of [
    '',
    'a'.repeat(42),
    'a'.repeat(129),
    `${good}+`,
    `${good} `,
    `${good}/`,
    `${good}\0`,
    `${good}é`,
    `${good}\n`,
  ]) {
    assert.equal(isCodeVerifier(text), false, JSON.stringify(text));
  }
});
