import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { type AuthPolicyId, asId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { AnotherHistory, type FeedPosition } from '../../src/store/contracts/changes.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { assertOnceWithin } from '../support/until.ts';
import type { SharedDatabase } from './contract.ts';
import { newSetupLink } from './contract-keys.ts';
import {
  createUser,
  DAY,
  HOUR,
  loginWithCode,
  MINUTE,
  newId,
  openSession,
  redemption,
  rotation,
  sessionLifetime,
  t0,
  uniqueName,
} from './fixtures.ts';

/** What `body` added to the feed. */
async function entriesOf(store: Store, body: () => Promise<unknown>) {
  const before = await store.changes.latest();
  await body();
  return (await store.changes.readAfter(before)).changes.map(({ kind, entityId }) => [kind, entityId]);
}

export function changeTests({ store, openAnother }: SharedDatabase): void {
  describe('the change feed', () => {
    test('names every session that ended', async () => {
      const user = await createUser(store);
      const reused = await openSession(store, user);
      await store.apiSessions.rotateRefreshToken(rotation(reused, 1));
      const login = await loginWithCode(store, user);
      const twice = redemption(login);
      await store.authRequests.redeemCode(twice);
      const [ended, all] = [await openSession(store, user), await openSession(store, user)];
      const entries = await entriesOf(store, async () => {
        await store.apiSessions.end(ended, 'logout', t0 + MINUTE);
        await store.apiSessions.end(ended, 'logout', t0 + MINUTE);
        await store.apiSessions.rotateRefreshToken(rotation(reused, 1, { now: t0 + 5 * MINUTE }));
        await store.authRequests.redeemCode(redemption(login));
        await store.apiSessions.endAllOf(user.id, 'administrator', t0 + MINUTE);
      });
      assert.deepEqual(entries, [
        ['session-ended', ended],
        ['session-ended', reused],
        ['session-ended', twice.session.id],
        ['session-ended', all],
      ]);
    });

    test('names changed and deleted identities and policies', async () => {
      const user = await createUser(store);
      const base = await store.authPolicies.find(asId<AuthPolicyId>('default'));
      assert.ok(base !== null);
      const policy = newId<AuthPolicyId>();
      await store.authPolicies.create({ ...base, name: typedName(uniqueName('policy')), id: policy }, t0);
      const entries = await entriesOf(store, async () => {
        await store.identities.update(user.id, { tags: { a: 1 } }, t0);
        await store.identities.delete(user.id, t0);
        await store.authPolicies.update(policy, { ...base, name: uniqueName('policy') }, t0);
      });
      assert.deepEqual(entries, [
        ['identity', user.id],
        ['identity', user.id],
        ['auth-policy', policy],
      ]);
    });

    test('an intent that failed or changed nothing leaves no entry', async () => {
      const [user, other] = [await createUser(store), await createUser(store)];
      const entries = await entriesOf(store, async () => {
        await assert.rejects(store.identities.update(user.id, { name: other.identity.name }, t0));
        await store.apiSessions.end(newId(), 'logout', t0);
        await store.identities.update(newId(), { tags: {} }, t0);
      });
      assert.deepEqual(entries, []);
    });

    test('is in order, and its numbers only grow', async () => {
      const user = await createUser(store);
      const before = await store.changes.latest();
      await Promise.all(
        Array.from({ length: 20 }, (_value, at) => store.identities.update(user.id, { tags: { at } }, t0)),
      );
      const seqs = (await store.changes.readAfter(before)).changes.map(({ seq }) => seq);
      assert.equal(seqs.length, 20);
      assert.ok(seqs.every((seq, at) => seq > (seqs[at - 1] ?? before.last?.seq ?? 0)));
      assert.equal((await store.changes.latest()).last?.seq, seqs.at(-1));
      assert.deepEqual((await store.changes.readAfter(await store.changes.latest())).changes, []);
    });

    test('is not continued from a position of another history, with any numbers', async () => {
      const user = await createUser(store);
      await store.identities.update(user.id, { tags: {} }, t0);
      const here = await store.changes.latest();
      const { history, last } = here;
      assert.ok(last);
      assert.deepEqual((await store.changes.readAfter(here)).changes, []);
      const others: Readonly<Record<string, FeedPosition>> = {
        'of another server': { ...here, history: `${history}1` },
        'of another server, which had no entry': { ...here, history: `${history}1`, last: null },
        'of an entry that was lost': { ...here, last: { ...last, seq: last.seq + 1 } },
        'of a number that is used again, by another kind': { ...here, last: { ...last, kind: 'node' } },
        'of a number that is used again, for another entity': { ...here, last: { ...last, entityId: 'x' } },
        'of a number that is used again, later': { ...here, last: { ...last, at: last.at - 1 } },
      };
      for (const [what, position] of Object.entries(others)) {
        await assert.rejects(store.changes.readAfter(position), AnotherHistory, what);
      }
    });

    test('listeners have seen a change of this process before its promise resolves', async () => {
      const user = await createUser(store);
      let seen = await store.changes.latest();
      const ended = new Set<string>();
      let calls = 0;
      const read = async () => {
        const { changes, position } = await store.changes.readAfter(seen);
        seen = position;
        for (const change of changes) {
          // Slower than the writer, so that the promise has to wait for it.
          await new Promise((resolve) => setImmediate(resolve));
          ended.add(change.entityId);
        }
      };
      // Calls may overlap, and each has to wait for what another one has read.
      let reading = Promise.resolve();
      const stop = store.changes.onChange(() => {
        calls += 1;
        reading = reading.then(read);
        return reading;
      });
      for (let round = 0; round < 10; round += 1) {
        const id = await openSession(store, user);
        await store.apiSessions.end(id, 'logout', t0 + MINUTE);
        assert.equal(ended.has(id), true);
      }
      stop();
      const before = calls;
      const unseen = await openSession(store, user);
      await store.apiSessions.end(unseen, 'logout', t0 + MINUTE);
      assert.equal(calls, before, 'it is called no more');
    });

    test('a listener that fails does not stop the calls of the others, and no promise from resolving', async () => {
      const user = await createUser(store);
      let calls = 0;
      const stops = [
        store.changes.onChange(async () => {
          throw new Error('rejected');
        }),
        store.changes.onChange(() => {
          throw new Error('thrown');
        }),
        store.changes.onChange(async () => {
          calls += 1;
        }),
      ];
      assert.equal(await store.identities.update(user.id, { tags: {} }, t0), true);
      assert.ok(calls > 0);
      for (const stop of stops) stop();
    });

    test("another process's change is noticed within a quarter of a second", async (t) => {
      const another = await openAnother();
      t.after(() => another.close());
      const user = await createUser(store);
      const noticed = new EventTarget();
      const before = await another.changes.latest();
      another.changes.onChange(async () => {
        const changes = (await another.changes.readAfter(before)).changes;
        if (changes.some(({ entityId }) => entityId === user.id)) noticed.dispatchEvent(new Event('change'));
      });
      // What the promise says, plus some time for a busy machine. Each begins when the one before was noticed, so one that
      // looks less often needs longer for all but the first.
      let round = 0;
      await assertOnceWithin(250 + 150, async () => {
        round += 1;
        const change = once(noticed, 'change');
        await store.identities.update(user.id, { tags: { round } }, t0);
        const begun = systemClock.monotonic();
        await change;
        return round === 1 ? Number.POSITIVE_INFINITY : systemClock.monotonic() - begun;
      });
    });
  });

  describe('expiry', () => {
    test('deletes what has expired, in batches, and nothing else', async () => {
      // The far future, so that nothing but these rows is looked at; what other tests left has gone by then.
      const user = await createUser(store);
      const old = await Promise.all(
        Array.from({ length: 5 }, () =>
          openSession(store, user, { session: { expiresAt: t0 + 2 * MINUTE } }),
        ),
      );
      const kept = await openSession(store, user, { session: { expiresAt: t0 + 400 * DAY } });
      const link = newSetupLink(t0 + HOUR);
      await store.setupLinks.create(link);
      const at = t0 + 100 * DAY;
      const first = await store.expiry.deleteExpired(at, 3);
      assert.equal(first, 3);
      let last = first;
      for (let round = 0; last === 3; round += 1) {
        assert.ok(round < 10_000);
        last = await store.expiry.deleteExpired(at, 3);
        assert.ok(last <= 3);
      }
      assert.equal(await store.expiry.deleteExpired(at, 3), 0);
      for (const id of old) assert.equal(await store.apiSessions.find(id), null);
      assert.notEqual(await store.apiSessions.find(kept), null);
      assert.equal(await store.setupLinks.check(link.tokenHash, at), 'unknown');
      assert.equal((await store.changes.readAfter(null)).changes.length, 1, 'the newest one stays');
      assert.notEqual(await store.identities.find(user.id), null);
    });

    test('a session is deleted at its end and not before', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user);
      await store.expiry.deleteExpired(t0 + sessionLifetime - 1, 1000);
      assert.notEqual(await store.apiSessions.find(id), null);
      await store.expiry.deleteExpired(t0 + sessionLifetime, 1000);
      assert.equal(await store.apiSessions.find(id), null);
    });

    test('numbers of the feed are not used again after its entries have gone', async () => {
      const user = await createUser(store);
      await store.identities.update(user.id, { tags: { a: 1 } }, t0);
      const seq = (await store.changes.latest()).last?.seq ?? 0;
      await store.expiry.deleteExpired(t0 + 2 * HOUR, 1000);
      await store.identities.update(user.id, { tags: { a: 2 } }, t0 + 2 * HOUR);
      assert.ok(Number((await store.changes.latest()).last?.seq) > seq);
    });
  });
}
