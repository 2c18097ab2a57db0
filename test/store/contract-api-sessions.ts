import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiSessionId } from '../../src/model/ids.ts';
import type { Millis } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import {
  createUser,
  DAY,
  isAlive,
  loginWithCode,
  MINUTE,
  newId,
  openSession,
  redemption,
  renewal,
  rotation,
  SECOND,
  sessionLifetime,
  t0,
  type User,
} from './fixtures.ts';

export function apiSessionTests({ store }: SharedDatabase): void {
  describe('live sessions', () => {
    test('of one identity end beyond a number, the oldest first', async () => {
      const [user, other] = [await createUser(store), await createUser(store)];
      const bystander = await openSession(store, other);
      const ids = [];
      for (let at = 0; at < 4; at += 1) ids.push(await openSession(store, user));
      const end = (most: number) =>
        store.apiSessions.endOldestOf(user.id, most, { now: t0 + SECOND, order: 'oldest' });
      assert.deepEqual(await end(4), []);
      assert.deepEqual(new Set(await end(2)), new Set(ids.slice(0, 2)));
      assert.deepEqual(await end(2), []);
      assert.deepEqual(await Promise.all(ids.map((id) => isAlive(store, id))), [false, false, true, true]);
      assert.equal((await store.apiSessions.find(ids[0] as ApiSessionId))?.endReason, 'too-many');
      assert.equal(await isAlive(store, bystander), true);
      const seen = (await store.changes.readAfter(null)).changes.map(({ entityId }) => entityId);
      assert.ok(seen.includes(String(ids[0])) && !seen.includes(String(ids[3])));
    });
  });

  describe('the fields for its owner', () => {
    test('is that of the row, as long as the session lives', async () => {
      const id = await openSession(store, await createUser(store));
      const session = await store.apiSessions.find(id);
      assert.ok(session);
      const shown = await store.apiSessions.findOwn(id, session.expiresAt - 1);
      assert.ok(shown);
      assert.deepEqual({ ...session, ...shown }, session);
      assert.equal(await store.apiSessions.findOwn(id, session.expiresAt), null);
      assert.equal(await store.apiSessions.findOwn(newId(), t0), null);

      const refreshed = rotation(id, 1, { ipAddress: '192.0.2.9', now: t0 + MINUTE });
      assert.equal((await store.apiSessions.rotateRefreshToken(refreshed)).outcome, 'rotated');
      const expiresAt = t0 + MINUTE + sessionLifetime;
      const afterwards = { ...shown, ipAddress: '192.0.2.9', lastActivityAt: t0 + MINUTE, expiresAt };
      assert.deepEqual(await store.apiSessions.findOwn(id, t0 + MINUTE), afterwards);

      assert.equal(await store.apiSessions.end(id, 'logout', t0 + MINUTE), true);
      assert.equal(await store.apiSessions.findOwn(id, t0 + MINUTE), null);
    });
  });

  describe('the version of a session', () => {
    const changes: Readonly<
      Record<string, (store: Store, user: User, id: ApiSessionId) => Promise<unknown>>
    > = {
      'a refresh': (store, _, id) => store.apiSessions.rotateRefreshToken(rotation(id, 1)),
      'a renewal': (store, _, id) => store.apiSessions.renew(renewal(id)),
      'its end': (store, _, id) => store.apiSessions.end(id, 'administrator', t0),
      'a logout': (store, _, id) => store.apiSessions.end(id, 'logout', t0),
      'the end of all of its identity': (store, user) =>
        store.apiSessions.endAllOf(user.id, 'administrator', t0),
      'the end of the oldest': (store, user) =>
        store.apiSessions.endOldestOf(user.id, 0, { now: t0, order: 'oldest' }),
      async 'a refresh token that comes back'(store, _, id) {
        await store.apiSessions.rotateRefreshToken(rotation(id, 1));
        const version = store.sessionVersion(id);
        const reused = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now: t0 + DAY / 2 }));
        assert.equal(reused.outcome, 'reused');
        if (version !== null) assert.notEqual(store.sessionVersion(id), version);
      },
      'disabling its identity': (store, user) =>
        store.identities.update(user.id, { disabledAt: t0, disabledUntil: null }, t0),
      'deleting its identity': (store, user) => store.identities.delete(user.id, t0),
      'a new password': (store, user) =>
        store.authenticators.updatePassword(
          user.authenticatorId,
          { passwordHash: '$argon2id$2' },
          { now: t0 },
        ),
      async 'deleting what has expired'(store) {
        while ((await store.expiry.deleteExpired(t0 + 400 * DAY, 1000)) === 1000);
      },
    };

    test('stays while nothing is written', async () => {
      const id = await openSession(store, await createUser(store));
      const version = store.sessionVersion(id);
      await store.apiSessions.findOwn(id, t0);
      assert.equal(store.sessionVersion(id), version);
    });

    for (const [change, make] of Object.entries(changes)) {
      test(`differs after ${change}, unless there are none`, async () => {
        const user = await createUser(store);
        const id = await openSession(store, user);
        const version = store.sessionVersion(id);
        const row = await store.apiSessions.find(id);
        await make(store, user, id);
        assert.notDeepEqual(await store.apiSessions.find(id), row, 'the row has changed');
        if (version === null) assert.equal(store.sessionVersion(id), null);
        else assert.notEqual(store.sessionVersion(id), version);
      });
    }
  });

  describe('rotating a refresh token', () => {
    test('replaces the token by its successor and returns session and identity', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user);
      const before = await store.apiSessions.find(id);
      assert.ok(before);
      const now = t0 + MINUTE;
      const outcome = await store.apiSessions.rotateRefreshToken(
        rotation(id, 1, { ipAddress: '192.0.2.9', now }),
      );
      assert.ok(outcome.outcome === 'rotated');
      assert.deepEqual(outcome.identity, { id: user.id, name: user.identity.name, isAdmin: false });
      assert.equal(outcome.session.ipAddress, '192.0.2.9');
      assert.equal(outcome.session.lastActivityAt, now);
      assert.equal(outcome.session.expiresAt, now + sessionLifetime);
      assert.deepEqual(await store.apiSessions.find(id), { ...before, ...outcome.session });
      const next = await store.apiSessions.rotateRefreshToken(rotation(id, 2));
      assert.equal(next.outcome, 'rotated');
    });

    test('a session never ends earlier than it was going to', async () => {
      const id = await openSession(store, await createUser(store));
      await store.apiSessions.rotateRefreshToken(rotation(id, 1, { sessionExpiresAt: t0 + MINUTE }));
      assert.equal((await store.apiSessions.find(id))?.expiresAt, t0 + sessionLifetime);
    });

    test('every earlier generation ends the family, even if all rotations share one moment', async () => {
      const user = await createUser(store);
      for (const replayed of [1, 2, 10, 19]) {
        const id = await openSession(store, user);
        const strict = { now: t0 + MINUTE, duplicateWindow: 0 };
        for (let generation = 1; generation <= 20; generation += 1) {
          const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, generation, strict));
          assert.equal(outcome.outcome, 'rotated');
        }
        assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotation(id, replayed, strict)), {
          outcome: 'reused',
        });
        assert.equal((await store.apiSessions.find(id))?.endReason, 'refresh-reuse');
        assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotation(id, 21, strict)), {
          outcome: 'refused',
          reason: 'ended',
        });
      }
    });

    test('a duplicate within the window from the same sender is refused without ending the family', async () => {
      const id = await openSession(store, await createUser(store));
      const now = t0 + MINUTE;
      await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now }));
      // The clock of the other request may be a little behind.
      for (const at of [now, now + 2 * SECOND - 1, now - 2 * SECOND + 1]) {
        assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now: at })), {
          outcome: 'refused',
          reason: 'duplicate',
        });
      }
      assert.equal((await store.apiSessions.rotateRefreshToken(rotation(id, 2))).outcome, 'rotated');
    });

    for (const [what, change] of [
      ['at the end of the window', { now: t0 + MINUTE + 2 * SECOND }],
      ['long before the rotation, after the clock was set back', { now: t0 }],
      ['from another address', { now: t0 + MINUTE, ipAddress: '198.51.100.7' }],
      ['without a window', { now: t0 + MINUTE, duplicateWindow: 0 }],
    ] as const) {
      test(`the predecessor ${what} ends the family`, async () => {
        const id = await openSession(store, await createUser(store));
        await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now: t0 + MINUTE }));
        const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1, change));
        assert.deepEqual(outcome, { outcome: 'reused' });
        assert.equal(await isAlive(store, id), false);
      });
    }

    test('the predecessor of the predecessor is not a duplicate', async () => {
      const id = await openSession(store, await createUser(store));
      const now = t0 + MINUTE;
      await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now }));
      await store.apiSessions.rotateRefreshToken(rotation(id, 2, { now }));
      const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now }));
      assert.deepEqual(outcome, { outcome: 'reused' });
    });

    test('a token that is neither the live one nor of an earlier generation ends nothing', async () => {
      const id = await openSession(store, await createUser(store));
      const forged = [
        rotation(id, 1, { presentedHash: 'forged' }),
        rotation(id, 2),
        rotation(id, 7, { presentedHash: `${id}-1` }),
      ];
      for (const rotate of forged) {
        assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotate), {
          outcome: 'refused',
          reason: 'unknown',
        });
      }
      assert.equal((await store.apiSessions.rotateRefreshToken(rotation(id, 1))).outcome, 'rotated');
    });

    test('an unknown session is refused', async () => {
      const outcome = await store.apiSessions.rotateRefreshToken(rotation(newId<ApiSessionId>(), 1));
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'unknown' });
    });

    test('the wrong client is refused, for a live token and for an old one, and ends nothing', async () => {
      const id = await openSession(store, await createUser(store));
      const foreign = rotation(id, 1, { clientId: 'another', issuer: 'https://other.localhost:1280/oidc' });
      const refused = { outcome: 'refused', reason: 'wrong-binding' };
      assert.deepEqual(await store.apiSessions.rotateRefreshToken(foreign), refused);
      await store.apiSessions.rotateRefreshToken(rotation(id, 1));
      assert.deepEqual(await store.apiSessions.rotateRefreshToken(foreign), refused);
      assert.equal((await store.apiSessions.find(id))?.issuer, rotation(id, 1).issuer);
      assert.equal((await store.apiSessions.rotateRefreshToken(rotation(id, 2))).outcome, 'rotated');
    });

    test('a session has the issuer of its last rotation or renewal', async () => {
      const id = await openSession(store, await createUser(store));
      for (const [generation, issuer] of [
        [1, 'https://other.localhost:1280/oidc'],
        [2, 'https://localhost:1280/oidc'],
      ] as const) {
        await store.apiSessions.rotateRefreshToken(rotation(id, generation, { issuer }));
        assert.equal((await store.apiSessions.find(id))?.issuer, issuer);
      }
      const issuer = 'https://third.localhost:1280/oidc';
      assert.equal((await store.apiSessions.renew(renewal(id, { issuer })))?.session.issuer, issuer);
    });

    test('a token that stays what it is works again, at the same moment too, until its end', async () => {
      const id = await openSession(store, await createUser(store));
      const kept = (now: Millis) =>
        rotation(id, 1, { now, nextHash: `${id}-1`, nextGeneration: 1, nextExpiresAt: now + MINUTE });
      const times = [t0, t0, t0, t0 + MINUTE - 1];
      const outcomes = await Promise.all(times.map((now) => store.apiSessions.rotateRefreshToken(kept(now))));
      assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ['rotated']);
      const late = await store.apiSessions.rotateRefreshToken(kept(t0 + 2 * MINUTE));
      assert.deepEqual(late, { outcome: 'refused', reason: 'expired' });
    });

    test('a session that began with a certificate asks for the same one', async () => {
      const id = await openSession(store, await createUser(store), { progress: { certThumbprint: 'mine' } });
      for (const certThumbprint of [null, 'another']) {
        assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotation(id, 1, { certThumbprint })), {
          outcome: 'refused',
          reason: 'wrong-binding',
        });
      }
      const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { certThumbprint: 'mine' }));
      assert.equal(outcome.outcome, 'rotated');
    });

    test('a session that is bound to a key asks for it, and its used tokens end nothing without it', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user, { keyThumbprint: 'mine' });
      for (const generation of [1, 2, 3]) {
        for (const keyThumbprint of [null, 'another']) {
          const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { keyThumbprint }));
          assert.deepEqual(outcome, { outcome: 'refused', reason: 'wrong-binding' });
        }
        const mine = rotation(id, generation, { keyThumbprint: 'mine' });
        assert.equal((await store.apiSessions.rotateRefreshToken(mine)).outcome, 'rotated');
      }
    });

    test('a session without a certificate accepts any', async () => {
      const id = await openSession(store, await createUser(store));
      const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { certThumbprint: 'any' }));
      assert.equal(outcome.outcome, 'rotated');
    });

    test('a token is refused at its own end and at the absolute end of its family', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user);
      const expired = { outcome: 'refused', reason: 'expired' };
      const late = rotation(id, 1, { now: t0 + sessionLifetime });
      assert.deepEqual(await store.apiSessions.rotateRefreshToken(late), expired);

      const familyExpiresAt = t0 + 2 * DAY;
      const other = await openSession(store, user, {
        session: { refresh: { hash: 'unused', expiresAt: t0 + sessionLifetime, familyExpiresAt } },
      });
      const first = rotation(other, 1, { presentedHash: 'unused', nextExpiresAt: familyExpiresAt + DAY });
      assert.equal((await store.apiSessions.rotateRefreshToken(first)).outcome, 'rotated');
      const atEnd = rotation(other, 2, { now: familyExpiresAt });
      assert.deepEqual(await store.apiSessions.rotateRefreshToken(atEnd), expired);
      const before = rotation(other, 2, { now: familyExpiresAt - 1 });
      assert.equal((await store.apiSessions.rotateRefreshToken(before)).outcome, 'rotated');
    });

    test('a disabled identity is refused until its disablement is over', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user);
      const until = t0 + MINUTE;
      // Already over when it changes, so that the session is still there.
      await store.identities.update(user.id, { disabledAt: t0, disabledUntil: until }, until);
      assert.deepEqual(await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now: until - 1 })), {
        outcome: 'refused',
        reason: 'identity-unavailable',
      });
      const after = await store.apiSessions.rotateRefreshToken(rotation(id, 1, { now: until }));
      assert.equal(after.outcome, 'rotated');
    });
  });

  describe('a session without a refresh token', () => {
    test('is extended for its own client, issuer and certificate, and never shortened', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user, {
        progress: { certThumbprint: 'leaf' },
        keyThumbprint: 'key',
      });
      const good = renewal(id, { certThumbprint: 'leaf', keyThumbprint: 'key' });
      for (const wrong of [
        { sessionId: newId<ApiSessionId>() },
        { clientId: 'another' },
        { certThumbprint: null },
        { certThumbprint: 'another' },
        { keyThumbprint: null },
        { keyThumbprint: 'another' },
        { now: t0 + sessionLifetime },
      ]) {
        assert.equal(await store.apiSessions.renew({ ...good, ...wrong }), null);
      }
      const renewed = await store.apiSessions.renew(good);
      assert.equal(renewed?.identity.id, user.id);
      assert.equal(renewed?.session.expiresAt, t0 + 2 * sessionLifetime);
      assert.equal(renewed?.session.lastActivityAt, good.now);
      assert.equal(renewed?.session.ipAddress, good.ipAddress);
      for (const expiresAt of [null, t0 + MINUTE]) {
        const again = await store.apiSessions.renew({ ...good, expiresAt });
        assert.equal(again?.session.expiresAt, t0 + 2 * sessionLifetime);
      }
    });

    test('is not revived when it or its identity was ended', async () => {
      const user = await createUser(store);
      const ended = await openSession(store, user);
      await store.apiSessions.end(ended, 'logout', t0 + SECOND);
      assert.equal(await store.apiSessions.renew(renewal(ended)), null);
      const disabled = await openSession(store, user);
      await store.identities.update(user.id, { disabledAt: t0, disabledUntil: null }, t0 + SECOND);
      assert.equal(await store.apiSessions.renew(renewal(disabled)), null);
      assert.equal((await store.apiSessions.find(disabled))?.expiresAt, t0 + sessionLifetime);
    });
  });

  describe('the session of a refresh token', () => {
    test('is found by the live token only, and looking changes nothing', async () => {
      const id = await openSession(store, await createUser(store));
      const find = (hash: string, now = t0 + MINUTE) => store.apiSessions.findByRefreshToken(id, hash, now);
      const found = await find(`${id}-1`);
      assert.equal(found?.session.id, id);
      assert.equal(found?.refreshExpiresAt, t0 + sessionLifetime);
      assert.equal(await find(`${id}-2`), null);
      assert.equal(await find(`${id}-1`, t0 + sessionLifetime), null);
      const other = newId<ApiSessionId>();
      assert.equal(await store.apiSessions.findByRefreshToken(other, `${id}-1`, t0 + MINUTE), null);
      const rotated = await store.apiSessions.rotateRefreshToken(rotation(id, 1));
      assert.equal(rotated.outcome, 'rotated');
      assert.equal(await find(`${id}-1`), null);
      assert.notEqual(await find(`${id}-2`), null);
      await store.apiSessions.end(id, 'logout', t0 + MINUTE);
      assert.equal(await find(`${id}-2`), null);
    });
  });

  describe('ending sessions', () => {
    test('ending returns true once, and records why', async () => {
      const id = await openSession(store, await createUser(store));
      assert.equal(await store.apiSessions.end(id, 'logout', t0 + MINUTE), true);
      assert.equal(await store.apiSessions.end(id, 'administrator', t0 + MINUTE), false);
      const session = await store.apiSessions.find(id);
      assert.equal(session?.endReason, 'logout');
      assert.equal(session?.endedAt, t0 + MINUTE);
    });

    test('an unknown or expired session was not live', async () => {
      const id = await openSession(store, await createUser(store));
      assert.equal(await store.apiSessions.end(newId<ApiSessionId>(), 'logout', t0), false);
      assert.equal(await store.apiSessions.end(id, 'logout', t0 + sessionLifetime), false);
    });

    test("all sessions of an identity end except the named one, and no other identity's", async () => {
      const [user, bystander] = [await createUser(store), await createUser(store)];
      const [a, b, kept] = [
        await openSession(store, user),
        await openSession(store, user),
        await openSession(store, user),
      ];
      const other = await openSession(store, bystander);
      const spared = { id: kept, identityId: user.id };
      assert.equal(await store.apiSessions.endOthers(spared, 'administrator', t0 + MINUTE), 2);
      const alive = await Promise.all([a, b, kept, other].map((id) => isAlive(store, id)));
      assert.deepEqual(alive, [false, false, true, true]);
      assert.equal(await store.apiSessions.endAllOf(user.id, 'administrator', t0 + MINUTE), 1);
    });

    test('logins in progress end with the sessions, so that a code from before opens nothing', async () => {
      const user = await createUser(store);
      const login = await loginWithCode(store, user);
      const used = await loginWithCode(store, user);
      await store.authRequests.redeemCode(redemption(used));
      await store.apiSessions.endAllOf(user.id, 'administrator', t0 + 2 * SECOND);
      const outcome = await store.authRequests.redeemCode(redemption(login, { now: t0 + 3 * SECOND }));
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'unknown', endedSession: null });
      assert.equal(await store.authRequests.findLogin(login.authRequest.key, t0), null);
      // A used code stays known.
      const again = await store.authRequests.redeemCode(redemption(used));
      assert.equal(again.outcome === 'refused' && again.reason, 'already-used');
    });

    test('the deny set has every ended session that still has unexpired tokens', async () => {
      const user = await createUser(store);
      const [ended, alive, over] = [
        await openSession(store, user),
        await openSession(store, user),
        await openSession(store, user, { session: { expiresAt: t0 + 2 * MINUTE } }),
      ];
      await store.apiSessions.end(ended, 'logout', t0 + MINUTE);
      await store.apiSessions.end(over, 'logout', t0 + MINUTE);
      const endedSince = async (endedAfter: number) => {
        const parts = await inParts(store.apiSessions.listEnded(t0 + 2 * MINUTE, endedAfter));
        return new Map(parts.flat().map(({ id, expiresAt }) => [id, expiresAt]));
      };
      const listed = await endedSince(t0 - DAY);
      assert.equal(listed.get(ended), t0 + sessionLifetime);
      assert.equal(listed.has(alive), false);
      assert.equal(listed.has(over), false);
      assert.equal((await endedSince(t0 + MINUTE)).has(ended), false);
    });

    test('the deny set has all of many sessions that ended at once, each once', async () => {
      const user = await createUser(store);
      // In a time that no other test of this store uses.
      const now = t0 + 40 * DAY;
      const opened: ApiSessionId[] = [];
      for (let count = 0; count < 7; count += 1) {
        const session = { expiresAt: now + sessionLifetime + (count % 3) };
        opened.push(await openSession(store, user, { session }));
      }
      await store.apiSessions.endAllOf(user.id, 'administrator', now);
      const parts = await inParts(store.apiSessions.listEnded(now, now - 1, 2));
      assert.ok(parts.every((part) => part.length <= 2));
      assert.deepEqual(
        parts
          .flat()
          .map(({ id }) => id)
          .sort(),
        opened.sort(),
      );
    });
  });
}

async function inParts<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const gathered: Part[] = [];
  for await (const part of parts) gathered.push(part);
  return gathered;
}
