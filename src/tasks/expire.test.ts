import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { deleteExpired, evenClock, forgetExpired } from './expire.ts';

const life = 31 * MINUTE;

test('a withdrawn session is denied until its tokens have expired', () => {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const at = clock.now();
  const ended = new Map([
    ['one', at],
    ['two', at + 1],
  ]);
  const revoked = new Map([['three', at - 1]]);
  forgetExpired({ clock, ended, revoked });
  assert.deepEqual([...ended.keys(), ...revoked.keys()], ['two']);
});

describe('a clock', () => {
  test('counts as even after it has gone for the life of an access token', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const even = evenClock(clock, () => life);
    assert.equal(even.isEven(), false, 'it is unknown how it was set before the start');
    clock.advance(life - 1);
    assert.equal(even.isEven(), false);
    clock.advance(1);
    assert.equal(even.isEven(), true);
  });

  test('counts as uneven for that long after each jump, forward or back', () => {
    for (const jump of [DAY, HOUR, -HOUR, 6 * SECOND]) {
      const clock = fixedClock('2026-01-01T00:00:00Z');
      const even = evenClock(clock, () => life);
      clock.advance(life);
      assert.equal(even.isEven(), true);
      clock.set(clock.now() + jump);
      assert.equal(even.isEven(), false, String(jump));
      clock.advance(life - 1);
      assert.equal(even.isEven(), false);
      clock.advance(1);
      assert.equal(even.isEven(), true);
    }
  });

  test('may drift and be corrected a little', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const even = evenClock(clock, () => life);
    for (let minute = 0; minute < 40; minute += 1) {
      clock.advance(MINUTE);
      clock.set(clock.now() + SECOND);
      even.isEven();
    }
    assert.equal(even.isEven(), true);
  });

  test('that is set forward and back while it is uneven revives no session that has ended', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const even = evenClock(clock, () => life);
    const deleted: number[] = [];
    const store = {
      expiry: { deleteExpired: async (now: number) => deleted.push(now) && 0 },
      loginAttempts: { deleteBefore: async () => 0 },
      auditEvents: { deleteBefore: async () => 0 },
      deliveries: { deleteOld: async () => 0 },
    };
    clock.advance(life);
    const ended = new Map([['session', clock.now() + life]]);
    const expire = async () => {
      if (even.isEven()) {
        forgetExpired({ clock, ended, revoked: new Map() });
        await deleteExpired({ store: store as never, clock, keepAttempts: DAY, keepAuditEvents: DAY });
      }
    };
    await expire();
    assert.equal(deleted.length, 1);
    clock.set(clock.now() + DAY);
    await expire();
    clock.set(clock.now() - DAY);
    await expire();
    assert.equal(deleted.length, 1, 'nothing was deleted meanwhile');
    assert.ok(ended.has('session'));
    clock.advance(life);
    await expire();
    assert.equal(ended.has('session'), false);
  });
});
