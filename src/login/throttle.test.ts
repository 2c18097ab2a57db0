import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PasswordPolicy } from '../model/auth-policy.ts';
import { DAY, MINUTE } from '../platform/clock.ts';
import { passwordLimit, sourcePrefix } from './throttle.ts';

describe('the source of guesses', () => {
  test('is the address, and of IPv6 the /64, however it is written', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['::FFFF:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
      ['2001:0DB8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['1::', '1:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ];
    for (const [address, prefix] of cases) assert.equal(sourcePrefix(address), prefix, address);
  });

  test('differs for neighbouring networks', () => {
    assert.notEqual(sourcePrefix('2001:db8:1:2::1'), sourcePrefix('2001:db8:1:3::1'));
    assert.notEqual(sourcePrefix('192.0.2.7'), sourcePrefix('192.0.2.8'));
  });
});

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
