// Guesses and their counters, on a real store.

import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { AuthError } from '../../src/errors/auth-error.ts';
import {
  countBeginning,
  countRefusal,
  failureKeys,
  forgetFailures,
  requireOpenSource,
  settleGuess,
  sourceLimits,
  totpLimit,
} from '../../src/login/throttle.ts';
import { type AuthenticatorId, asId, type IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import type { AttemptLimit } from '../../src/store/contracts/attempts.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { t0, temporaryFolder } from '../store/fixtures.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const folder = temporaryFolder();
const clock = fixedClock(t0);
let serial = 0;
let name = '';
/** A different address for each test. */
let address = '';

const store = await openSqliteStore({ path: folder.path('throttle.db') });
beforeEach(() => {
  serial += 1;
  name = `somebody-${serial}`;
  address = `192.0.2.${serial}`;
});
after(async () => {
  await store.close();
  folder.remove();
});

const needs = () => ({ store, clock });
const guess = (from = address, isRight = false) =>
  settleGuess(needs(), { target: totpLimit(name), ipAddress: from, isRight });
const guessUnknownUser = (isRight = false) =>
  settleGuess(needs(), { target: null, ipAddress: address, isRight });
const lockedUntil = (key: string) => store.attempts.lockedUntil(key, clock.now());

test('the limits are those in the guide', () => {
  assert.deepEqual(totpLimit('ana'), {
    key: 'totp:ana',
    max: 5,
    lockFor: 30 * SECOND,
    longestLock: HOUR,
    mostLocks: 20,
    forgetAfter: DAY,
  });
  const ofSource = { lockFor: MINUTE, longestLock: 15 * MINUTE, forgetAfter: 10 * MINUTE };
  assert.deepEqual(sourceLimits('source', '192.0.2.1'), [{ key: 'source:192.0.2.1', max: 300, ...ofSource }]);
  // The holder of the wide one has 65,536 of the narrow ones.
  assert.deepEqual(sourceLimits('source', '2001:db8::1'), [
    { key: 'source:2001:db8:0::/48', max: 2400, ...ofSource },
    { key: 'source:2001:db8:0:0::/64', max: 300, ...ofSource },
  ]);
});

test('a source that was locked by a clock hours ahead is open once the clock is right', async () => {
  clock.set(t0 + 5 * HOUR);
  for (let at = 0; at < 300; at += 1) await countRefusal(needs(), address);
  await assert.rejects(requireOpenSource(needs(), address), AuthError);
  clock.set(t0);
  await requireOpenSource(needs(), address);
});

test('beginning a device login has a counter of its own', () => {
  const [{ key, max, lockFor, longestLock, forgetAfter }] = sourceLimits('device', '192.0.2.1') as [
    AttemptLimit,
  ];
  assert.deepEqual(
    [key, max, lockFor, longestLock, forgetAfter],
    ['device:192.0.2.1', 30, MINUTE, 15 * MINUTE, 10 * MINUTE],
  );
});

describe('guesses', () => {
  test('beyond the limit find it locked, until the lock ends', async () => {
    for (let n = 0; n < 5; n += 1) assert.equal(await guess(), 'settled', `guess ${n}`);
    assert.equal(await guess(), 'locked');
    assert.equal(await lockedUntil(`totp:${name}`), clock.now() + 30 * SECOND);
    clock.advance(30 * SECOND - 1);
    assert.equal(await guess(), 'locked');
    clock.advance(1);
    assert.equal(await guess(), 'settled');
  });

  test('at a locked target still count against their source, which has to wait', async () => {
    for (let n = 0; n < 300; n += 1) await guess();
    await assert.rejects(guess(), (error) => {
      assert.ok(error instanceof AuthError);
      assert.equal(error.code, 'rate_limited');
      assert.equal(error.message, `rate_limited: source source:${address} is throttled`);
      assert.equal(error.retryAfterSeconds, 60);
      return true;
    });
    assert.equal(await guess('198.51.100.7'), 'locked', 'another source only finds the lock');
  });

  test('at an unknown target count against their source only', async () => {
    for (let n = 0; n < 300; n += 1) assert.equal(await guessUnknownUser(), 'settled', `guess ${n}`);
    for (const isRight of [false, true]) {
      await assert.rejects(guessUnknownUser(isRight), { code: 'rate_limited' });
    }
  });

  test('that are right count nowhere, however many there are at once', async () => {
    const rights = Array.from({ length: 310 }, () => [guess(address, true), guessUnknownUser(true)]).flat();
    assert.deepEqual([...new Set(await Promise.all(rights))], ['settled']);
    assert.equal(await lockedUntil(`totp:${name}`), null);
  });

  test('that are right find the lock of the wrong ones before them', async () => {
    for (let n = 0; n < 4; n += 1) await guess();
    assert.equal(await guess(address, true), 'settled');
    await guess();
    assert.equal(await guess(address, true), 'locked');
  });
});

test('expensive refusals throttle their source, and no other source', async () => {
  for (let n = 0; n < 300; n += 1) {
    await requireOpenSource(needs(), address);
    await countRefusal(needs(), address);
  }
  clock.advance(20 * SECOND);
  await assert.rejects(requireOpenSource(needs(), address), { code: 'rate_limited', retryAfterSeconds: 40 });
  await requireOpenSource(needs(), '198.51.100.8');
  clock.advance(40 * SECOND);
  await requireOpenSource(needs(), address);
});

describe('sources of IPv6', () => {
  const network = () => `2001:db8:${(Number(address.split('.')[3]) + 16).toString(16)}`;

  test('of one /64 lock it, and neither its neighbours nor what they do the /48', async () => {
    for (let n = 0; n < 320; n += 1) await countRefusal(needs(), `${network()}:1::${n.toString(16)}`);
    await assert.rejects(requireOpenSource(needs(), `${network()}:1::ffff`), { code: 'rate_limited' });
    await requireOpenSource(needs(), `${network()}:2::1`);
  });

  test('logins of devices are limited for a whole /48 too', async () => {
    let begun = 0;
    for (let n = 0; n < 400; n += 1) {
      await countBeginning(needs(), `${network()}:${n.toString(16)}::1`, 'device').then(
        () => {
          begun += 1;
        },
        (error) => assert.equal(error.code, 'rate_limited'),
      );
    }
    assert.equal(begun, 240);
    await countBeginning(needs(), '2001:db8:ffff::1', 'device');
  });
});

describe('after a full authentication', () => {
  const identity = () => asId<IdentityId>(name);
  const authenticator = asId<AuthenticatorId>('their-password');

  test('the counters of the code and of the used password start over', async () => {
    assert.deepEqual(failureKeys(identity(), authenticator), [`password:${authenticator}`, `totp:${name}`]);
    for (let n = 0; n < 5; n += 1) await guess();
    assert.equal(await guess(), 'locked');
    await forgetFailures(store, identity(), authenticator);
    assert.equal(await guess(), 'settled');
  });

  test('the counter of the code does, if there is no password', async () => {
    assert.deepEqual(failureKeys(identity(), null), [`totp:${name}`]);
    for (let n = 0; n < 5; n += 1) await guess();
    await forgetFailures(store, identity(), null);
    assert.equal(await guess(), 'settled');
  });
});
