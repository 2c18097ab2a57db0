import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sessionHeaders } from './guard.ts';

const issuedAt = Date.parse('2030-01-01T00:00:00Z');
const session = { issuedAt, expiresAt: issuedAt + 1_800_000 };

describe('session headers', () => {
  test('the end is written in RFC 3339 and the rest in whole seconds', () => {
    assert.deepEqual(sessionHeaders(session, issuedAt + 1500), {
      'expires-at': '2030-01-01T00:30:00.000Z',
      'expiration-seconds': '1798',
    });
  });

  test('whatever the clock does, the rest is neither negative nor more than was granted', () => {
    for (const [now, seconds] of [
      [issuedAt - 86_400_000, '1800'],
      [session.expiresAt, '0'],
      [session.expiresAt + 86_400_000, '0'],
    ] as const) {
      assert.equal(sessionHeaders(session, now)['expiration-seconds'], seconds);
    }
  });
});
