import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../../errors/auth-error.ts';
import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import { checkNewPassword } from './password-rules.ts';

const lenient: PasswordPolicy = {
  allowed: true,
  minPasswordLength: 12,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
  maxAttempts: 10,
  lockoutDurationMinutes: 15,
};

function reasons(
  password: string,
  policy: PasswordPolicy = lenient,
  names: readonly string[] = ['alice'],
): string[] {
  try {
    checkNewPassword(password, policy, names);
    return [];
  } catch (error) {
    assert.ok(error instanceof AuthError && error.code === 'password_not_acceptable');
    assert.ok(!error.message.includes(password) || password === '');
    return error.fields.map(({ reason }) => reason);
  }
}

test('a long passphrase is accepted, with spaces, emoji and other scripts', () => {
  for (const password of [
    'correct horse battery',
    'пароль для проверки',
    '🌲🌳🌴🌵🌶🌷🌸🌹🌺🌻🌼🌽',
    'x7'.padEnd(64, 'qpzmwo'),
  ]) {
    assert.deepEqual(reasons(password), [], password);
  }
});

test('a short password is refused with the length that is needed', () => {
  assert.match(reasons('k7#pQz').join(), /at least 12/);
  assert.match(reasons('k7#pQz', { ...lenient, minPasswordLength: 3 }).join(), /at least 8/);
});

test('a password over 1,024 bytes is refused', () => {
  assert.match(reasons('é'.repeat(513)).join(), /1024 bytes/);
});

test('common passwords are refused in every disguise', () => {
  for (const password of [
    'Password1234',
    'P A S S W O R D 1234',
    'qwertyuiop12',
    'overlay-auth2026',
    'aaaaaaaaaaaaaa',
    'abcabcabcabc',
    'ｐａｓｓｗｏｒｄ1234',
  ]) {
    assert.match(reasons(password).join(), /too common/, password);
  }
});

test("a password made of the user's name is refused, one that merely contains it is not", () => {
  assert.match(reasons('Alice.Alice-123').join(), /name of the user/);
  assert.deepEqual(reasons('alice paints tall giraffes'), []);
});

test('composition rules apply only when the policy has them, all reasons at once', () => {
  const strict = { ...lenient, requireMixedCase: true, requireNumberChar: true, requireSpecialChar: true };
  assert.equal(reasons('wanderingturtles', strict).length, 3);
  assert.deepEqual(reasons('Wandering turtles, 7', strict), []);
});

test('each composition rule asks for what it says, in any script', () => {
  const rules = [
    [{ requireMixedCase: true }, 'it needs an upper-case and a lower-case letter'],
    [{ requireNumberChar: true }, 'it needs a digit'],
    [{ requireSpecialChar: true }, 'it needs a special character'],
  ] as const;
  const passwords = {
    'tall giraffes 7, paint': [true, false, false],
    'TALL GIRAFFES 7, PAINT': [true, false, false],
    'Tall giraffes, paint': [false, true, false],
    'Tall giraffes 7 paint': [false, false, true],
    'Высокие жирафы рисуют': [false, true, true],
    'Tall giraffes ٧ paint!': [false, false, false],
  };
  for (const [password, refused] of Object.entries(passwords))
    for (const [at, [rule, reason]] of rules.entries())
      assert.deepEqual(reasons(password, { ...lenient, ...rule }), refused[at] ? [reason] : [], password);
});
