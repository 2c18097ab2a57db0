import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import { asId, type SignerId } from '../model/ids.ts';
import type { PassedMethod } from '../model/login.ts';
import { usualPolicy } from '../model/usual-policy.ts';
import { type AskedOf, mayAddFactor, outstandingFactors } from './outstanding-factors.ts';
import { provenFactors, type StandingNeeds } from './standing.ts';

const signerId = asId<SignerId>('s1');
const signers = {
  find: (id: SignerId) => ({ id, issuer: id, enabled: true }),
} as unknown as StandingNeeds['signers'];
const outstandingAfter = (
  rules: ReturnType<typeof policy>,
  asked: AskedOf,
  passed: readonly PassedMethod[],
) => outstandingFactors(rules, asked, provenFactors({ signers }, { passed, signerId: null }));
const policy = (requireTotp: boolean, requireExtJwt: SignerId | null) => ({
  primary: usualPolicy.primary,
  secondary: { requireTotp, requireExtJwt, requirePasskey: false },
});

test('nothing is outstanding when the policy requires nothing and nothing is enrolled', () => {
  assert.deepEqual(
    outstandingAfter(policy(false, null), { isEnrolled: false, hasPasskey: false, newPassword: null }, [
      'password',
    ]),
    [],
  );
});

test('TOTP is outstanding when the policy requires it or the identity has enrolled it, until it is passed', () => {
  for (const [asks, isEnrolled] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    assert.deepEqual(
      outstandingAfter(policy(asks, null), { isEnrolled, hasPasskey: false, newPassword: null }, [
        'password',
      ]),
      [{ type: 'totp', isEnrolled }],
    );
    assert.deepEqual(
      outstandingAfter(policy(asks, null), { isEnrolled, hasPasskey: false, newPassword: null }, [
        'password',
        'totp',
      ]),
      [],
    );
  }
});

test('a required signer is satisfied by its own proof only, never by the primary one', () => {
  const outstanding = [{ type: 'ext-jwt', signerId }];
  for (const passed of [['ext-jwt'], ['password', 'ejs:s2'], ['password', 'totp']] as const) {
    assert.deepEqual(
      outstandingAfter(
        policy(false, signerId),
        { isEnrolled: false, hasPasskey: false, newPassword: null },
        passed,
      ),
      outstanding,
    );
  }
  assert.deepEqual(
    outstandingAfter(policy(false, signerId), { isEnrolled: false, hasPasskey: false, newPassword: null }, [
      'ext-jwt',
      'ejs:s1',
    ]),
    [],
  );
});

test('of two outstanding factors TOTP comes first', () => {
  const types = outstandingAfter(
    policy(true, signerId),
    { isEnrolled: false, hasPasskey: false, newPassword: null },
    ['cert'],
  ).map(({ type }) => type);
  assert.deepEqual(types, ['totp', 'ext-jwt']);
});

test('a new password is required last, and only after a login with the old one', () => {
  const newPassword = { rules: { minPasswordLength: 12 } as PasswordPolicy, username: 'ada' };
  const asked = (passed: readonly PassedMethod[]) =>
    outstandingAfter(policy(true, signerId), { isEnrolled: true, hasPasskey: false, newPassword }, passed);
  assert.deepEqual(
    asked(['password']).map(({ type }) => type),
    ['totp', 'ext-jwt', 'password-change'],
  );
  assert.deepEqual(asked(['password', 'totp', `ejs:${signerId}`]), [
    { type: 'password-change', ...newPassword },
  ]);
  for (const other of ['cert', 'ext-jwt'] as const) {
    assert.deepEqual(asked([other, 'totp', `ejs:${signerId}`]), []);
  }
});

test('an app may be added only when the token that the policy requires was proven', () => {
  const after = (requireTotp: boolean, passed: readonly PassedMethod[]) =>
    mayAddFactor(
      'totp',
      outstandingAfter(
        policy(requireTotp, signerId),
        { isEnrolled: false, hasPasskey: false, newPassword: null },
        passed,
      ),
    );
  for (const requireTotp of [true, false]) {
    assert.equal(after(requireTotp, ['password']), false);
    assert.equal(after(requireTotp, ['cert', 'ejs:s2']), false);
    assert.equal(after(requireTotp, ['password', `ejs:${signerId}`]), true);
  }
});
