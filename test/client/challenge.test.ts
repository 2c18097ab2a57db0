import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseChallenges } from '../../packages/client/src/api/challenge.ts';
import {
  freshProofChallenge,
  noTokenChallenges,
  primaryExtJwtChallenge,
  secondaryExtJwtChallenge,
} from '../../src/errors/challenge.ts';
import { challengeLines } from '../../src/http/request/challenges.ts';
import { SECOND } from '../../src/platform/clock.ts';

const lines = (...challenges: Parameters<typeof challengeLines>[0]) => challengeLines(challenges).join(', ');

test('every challenge that the server writes is read back', () => {
  assert.deepEqual(parseChallenges(lines(...noTokenChallenges)), [
    { realm: 'zt-session', error: 'missing' },
    { realm: 'overlay-oidc', error: 'missing' },
  ]);
  const signers = [
    { id: 'a1', issuer: 'https://one.example/?a="b",c\\' },
    { id: 'b2', issuer: 'https://two.example' },
  ];
  for (const [make, realm] of [
    [primaryExtJwtChallenge, 'overlay-primary-ext-jwt'],
    [secondaryExtJwtChallenge, 'overlay-secondary-ext-jwt'],
  ] as const) {
    assert.deepEqual(parseChallenges(lines(make('expired', signers))), [
      { realm, error: 'expired', signers },
    ]);
    assert.deepEqual(parseChallenges(lines(make('missing', []))), [{ realm, error: 'missing', signers: [] }]);
  }
  assert.deepEqual(parseChallenges(lines(freshProofChallenge({ mechanism: 'oidc' }, 300 * SECOND))), [
    { realm: 'overlay-oidc', error: 'insufficient_user_authentication', maxAgeSeconds: 300 },
  ]);
});

test('other challenges are reported as unknown', () => {
  assert.deepEqual(parseChallenges('DPoP algs="ES256", Bearer realm=other, error=missing'), [
    { realm: 'unknown', scheme: 'DPoP', parameters: { algs: 'ES256' } },
    { realm: 'unknown', scheme: 'Bearer', parameters: { realm: 'other', error: 'missing' } },
  ]);
});

test('a text that is not a challenge yields none, and hostile ones cost no time', () => {
  for (const text of [
    null,
    '',
    ',',
    'Bearer',
    'Negotiate a87421000492aa874209af8bc028',
    '="x"',
    'realm="a"',
  ]) {
    assert.deepEqual(parseChallenges(text), [], String(text));
  }
  const started = process.threadCpuUsage();
  for (const part of ['a ', 'a=', '"', '\\"', 'a="\\', 'Bearer a="', ', ', '\t', 'a  =  ']) {
    parseChallenges(`Bearer realm="${part.repeat(40_000)}`);
    parseChallenges(part.repeat(40_000));
  }
  assert.ok(process.threadCpuUsage(started).user < 2_000_000);
  const [found] = parseChallenges('Bearer __proto__="x", realm="overlay-oidc", error="missing"');
  assert.deepEqual(found, { realm: 'overlay-oidc', error: 'missing' });
});
