import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asId, type SignerId } from '../model/ids.ts';
import { outstandingFactors } from './outstanding-factors.ts';

const signerId = asId<SignerId>('s1');
const policy = (requireTotp: boolean, requireExtJwt: SignerId | null) => ({
  secondary: { requireTotp, requireExtJwt },
});

test('nothing is outstanding when the policy asks for nothing and nothing is enrolled', () => {
  assert.deepEqual(outstandingFactors(policy(false, null), { isEnrolled: false }, ['password']), []);
});

test('TOTP is outstanding when the policy asks or the identity has enrolled it, until it is passed', () => {
  for (const [asks, isEnrolled] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    assert.deepEqual(outstandingFactors(policy(asks, null), { isEnrolled }, ['password']), [
      { type: 'totp', isEnrolled },
    ]);
    assert.deepEqual(outstandingFactors(policy(asks, null), { isEnrolled }, ['password', 'totp']), []);
  }
});

test('a required signer is satisfied by its own proof only, never by the primary one', () => {
  const outstanding = [{ type: 'ext-jwt', signerId }];
  for (const passed of [['ext-jwt'], ['password', 'ejs:s2'], ['password', 'totp']] as const) {
    assert.deepEqual(outstandingFactors(policy(false, signerId), { isEnrolled: false }, passed), outstanding);
  }
  assert.deepEqual(
    outstandingFactors(policy(false, signerId), { isEnrolled: false }, ['ext-jwt', 'ejs:s1']),
    [],
  );
});

test('of two outstanding factors TOTP comes first', () => {
  const types = outstandingFactors(policy(true, signerId), { isEnrolled: false }, ['cert']).map(
    ({ type }) => type,
  );
  assert.deepEqual(types, ['totp', 'ext-jwt']);
});
