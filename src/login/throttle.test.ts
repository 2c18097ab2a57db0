import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import { DAY, MINUTE } from '../platform/clock.ts';
import { passwordLimit, unlockableLimit } from './throttle.ts';

describe('the limit of a password', () => {
  const policy: PasswordPolicy = {
    ...{ allowed: true, minPasswordLength: 12, requireSpecialChar: false, requireNumberChar: false },
    ...{ requireMixedCase: false, maxAttempts: 5, lockoutDurationMinutes: 15 },
  };

  test('is what the policy says; locks grow to a day', () => {
    const limit = passwordLimit('a', policy);
    assert.deepEqual(
      [limit?.key, limit?.max, limit?.lockFor, limit?.longestLock],
      ['password:a', 5, 15 * MINUTE, DAY],
    );
  });

  test('is none where the policy never locks, and for good where a lock does not end', () => {
    assert.equal(passwordLimit('a', { ...policy, maxAttempts: 0 }), null);
    const forGood = passwordLimit('a', { ...policy, lockoutDurationMinutes: 0 });
    assert.ok((forGood?.lockFor ?? 0) > 50 * 365 * DAY);
  });

  test('never makes a long lock shorter', () => {
    const limit = passwordLimit('a', { ...policy, lockoutDurationMinutes: 3 * 24 * 60 });
    assert.equal(limit?.longestLock, 3 * DAY);
  });
});

test('unknown names are counted too, in few rows even if strangers invent many', () => {
  const limits = Array.from({ length: 2000 }, (_, at) => unlockableLimit(`name ${at}`));
  assert.ok(new Set(limits.map(({ key }) => key)).size <= 256);
  assert.equal(unlockableLimit('a').key, unlockableLimit('a').key);
  for (const { max } of limits) assert.equal(max, Number.MAX_SAFE_INTEGER);
});
