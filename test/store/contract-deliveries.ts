import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Delivery, queueOf } from '../../src/model/delivery.ts';
import { defaultsOf } from '../../src/model/entities/entity.ts';
import { eventSubscriptionEntity } from '../../src/model/entities/event-subscription.ts';
import { type ApiSessionId, asId, type EventSubscriptionId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import type { QueuedEvent } from '../../src/store/contracts/deliveries.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { newClient } from './contract-oidc-clients.ts';
import {
  createUser,
  DAY,
  HOUR,
  MINUTE,
  newId,
  openSession,
  SECOND,
  sessionLifetime,
  t0,
} from './fixtures.ts';

/** A client that wants to be told, its queue, and a way to open sessions of it that last as long as theirs. */
async function toldClient(store: Store) {
  const client = newClient({ backchannelLogoutUri: 'https://app.example/logout' });
  await store.oidcClients.create(client, t0);
  const user = await createUser(store);
  const queue = queueOf('logout', client.id);
  const open = (session = {}) =>
    openSession(store, user, {
      request: { clientId: client.id },
      session: { toldUntil: t0 + 30 * DAY, ...session },
    });
  const waiting = () => store.deliveries.next(queue, { order: 'oldest', most: 100 }, t0);
  return { client, user, queue, open, waiting, holder: newId() };
}

const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

export function deliveryTests({ store }: SharedDatabase): void {
  describe('the end of a session', () => {
    test('is queued for its application, once, with the change that ended it', async () => {
      const { client, user, queue, open, waiting } = await toldClient(store);
      const [one, other] = [await open(), await open()];
      assert.equal(await store.apiSessions.end(one, 'logout', t0 + MINUTE), true);
      assert.equal(await store.apiSessions.end(one, 'logout', t0 + MINUTE), false);
      assert.equal(await store.apiSessions.endAllOf(user.id, 'identity-disabled', t0 + MINUTE), 1);
      const found = await waiting();
      assert.deepEqual(ids(found), [one, other]);
      const [{ seq: _seq, ...first }] = found as [Delivery];
      const issuer = (await store.apiSessions.find(one))?.issuer;
      assert.deepEqual(first, {
        id: one,
        payload: { sessionId: one, identityId: user.id, issuer },
        state: 'waiting',
        attempts: 0,
        createdAt: t0 + MINUTE,
        lastAttemptAt: null,
        result: null,
      });
      const changes = (await store.changes.readAfter(null)).changes.filter(
        ({ entityId }) => entityId === queue,
      );
      assert.deepEqual(
        changes.map(({ kind }) => kind),
        ['delivery', 'delivery'],
      );
      assert.equal(await store.oidcClients.delete(client.id, t0 + MINUTE), true);
      assert.deepEqual(await waiting(), []);
    });

    test('waits once if it is queued by itself, however often', async () => {
      const { client, user, waiting } = await toldClient(store);
      const sessionId = newId<ApiSessionId>();
      const payload = { sessionId, identityId: user.id, issuer: 'https://a.example/oidc' };
      const delivery = { kind: 'logout', subscriber: client.id, id: sessionId, payload } as const;
      for (const now of [t0, t0 + MINUTE]) await store.deliveries.add(delivery, now);
      const found = await waiting();
      assert.deepEqual(
        found.map(({ id, payload, createdAt }) => ({ id, payload, createdAt })),
        [{ id: sessionId, payload, createdAt: t0 }],
      );
    });

    test('is not queued for an application that does not want to be told', async () => {
      const client = newClient();
      await store.oidcClients.create(client, t0);
      const user = await createUser(store);
      const sessions = [
        await openSession(store, user, { request: { clientId: client.id } }),
        await openSession(store, user),
      ];
      const before = await store.deliveries.backlog();
      for (const id of sessions) assert.equal(await store.apiSessions.end(id, 'logout', t0 + MINUTE), true);
      assert.deepEqual(await store.deliveries.backlog(), before);
    });

    test('is queued after its tokens have expired too, as long as the application is to be told', async () => {
      const { user, open, waiting } = await toldClient(store);
      const id = await open({ toldUntil: t0 + 10 * DAY });
      const end = await open({ toldUntil: null });
      const late = t0 + sessionLifetime + HOUR;
      await store.expiry.deleteExpired(late, 1000);
      assert.equal(await store.apiSessions.find(end), null);
      // For everything else it is over.
      assert.equal(await store.apiSessions.findOwn(id, late), null);
      assert.equal(await store.apiSessions.endAllOf(user.id, 'administrator', late), 0);
      assert.deepEqual(ids(await waiting()), [id]);
      const changes = (await store.changes.readAfter(null)).changes;
      assert.ok(!changes.some(({ kind, entityId }) => kind === 'session-ended' && entityId === id));
      await store.expiry.deleteExpired(late, 1000);
      assert.equal(await store.apiSessions.find(id), null);
      const forgotten = await open({ toldUntil: t0 + 10 * DAY });
      await store.expiry.deleteExpired(t0 + 10 * DAY, 1000);
      assert.equal(await store.apiSessions.find(forgotten), null);
    });
  });

  describe('a queue', () => {
    test('is held by one of several, until it is released or the hold has run out', async () => {
      const { queue, open } = await toldClient(store);
      const until = t0 + MINUTE;
      assert.equal(await store.deliveries.hold({ queue, holder: 'nobody', until }, t0), null);
      await store.apiSessions.end(await open(), 'logout', t0);
      const holders = ['a', 'b', 'c', 'd'];
      const held = await Promise.all(
        holders.map((holder) => store.deliveries.hold({ queue, holder, until }, t0)),
      );
      assert.deepEqual(held.toSorted(), [0, null, null, null]);
      const holder = holders[held.indexOf(0)] as string;
      const isDue = async (by: string, now: number) =>
        (await store.deliveries.listDue(by, now)).includes(queue);
      assert.deepEqual(
        [await isDue(holder, t0), await isDue('e', t0), await isDue('e', until)],
        [true, false, true],
      );
      await store.deliveries.release(queue, 'e');
      assert.equal(await isDue('e', t0), false);
      await store.deliveries.release(queue, holder);
      assert.equal(await isDue('e', t0), true);
      assert.equal(await store.deliveries.hold({ queue, holder: 'e', until }, t0), 0);
      // Its node was away for too long.
      assert.equal(await store.deliveries.hold({ queue, holder: 'f', until: until + MINUTE }, until), 0);
      const noted = { deliveries: [], failures: 0, pausedUntil: 0, now: until };
      assert.equal(await store.deliveries.note({ queue, holder: 'e', until }, noted), false);
    });

    test('gives what waits in order, or what was tried least, and nothing while it pauses', async () => {
      const { queue, open, holder } = await toldClient(store);
      const sessions = [await open(), await open(), await open(), await open()];
      for (const id of sessions) await store.apiSessions.end(id, 'logout', t0);
      const hold = { queue, holder, until: t0 + MINUTE };
      await store.deliveries.hold(hold, t0);
      const [first, second, third] = await store.deliveries.next(queue, { order: 'oldest', most: 3 }, t0);
      assert.ok(first && second && third);
      const deliveries = [
        { seq: first.seq, state: 'waiting', result: 'HTTP 503', dueAt: 0 },
        { seq: second.seq, state: 'delivered', result: 'HTTP 200', dueAt: 0 },
        { seq: third.seq, state: 'failed', result: 'HTTP 400', dueAt: 0 },
      ] as const;
      const now = t0 + SECOND;
      const pausedUntil = now + MINUTE;
      assert.equal(await store.deliveries.note(hold, { deliveries, failures: 1, pausedUntil, now }), true);
      assert.deepEqual(ids(await store.deliveries.next(queue, { order: 'oldest', most: 9 }, now)), [
        sessions[0],
        sessions[3],
      ]);
      assert.deepEqual(ids(await store.deliveries.next(queue, { order: 'least-tried', most: 9 }, now)), [
        sessions[3],
        sessions[0],
      ]);
      assert.equal((await store.deliveries.listDue(holder, pausedUntil - 1)).includes(queue), false);
      assert.equal(await store.deliveries.hold(hold, pausedUntil - 1), null);
      assert.equal(await store.deliveries.hold(hold, pausedUntil), 1);
      const all = await store.deliveries.list(queue, null, 10);
      assert.deepEqual(
        all.map(({ id, state, attempts, lastAttemptAt, result }) => [
          id,
          state,
          attempts,
          lastAttemptAt,
          result,
        ]),
        [
          [sessions[3], 'waiting', 0, null, null],
          [sessions[2], 'failed', 1, now, 'HTTP 400'],
          [sessions[1], 'delivered', 1, now, 'HTTP 200'],
          [sessions[0], 'waiting', 1, now, 'HTTP 503'],
        ],
      );
      assert.deepEqual(ids(await store.deliveries.list(queue, 'failed', 10)), [sessions[2]]);
      assert.deepEqual(ids(await store.deliveries.list(queue, null, 1)), [sessions[3]]);
      const dueAt = pausedUntil + SECOND;
      const [fourth] = await store.deliveries.next(queue, { order: 'least-tried', most: 1 }, pausedUntil);
      const alone = [
        { seq: first.seq, state: 'waiting', result: 'HTTP 429', dueAt },
        { seq: fourth?.seq ?? 0, state: 'forgotten', result: 'no such session', dueAt: 0 },
      ] as const;
      await store.deliveries.note(hold, { deliveries: alone, failures: 0, pausedUntil: 0, now: pausedUntil });
      const dueBy = async (at: number) =>
        ids(await store.deliveries.next(queue, { order: 'oldest', most: 9 }, at));
      assert.deepEqual([await dueBy(dueAt - 1), await dueBy(dueAt)], [[], [sessions[0]]]);
      assert.equal((await store.deliveries.listDue(holder, dueAt - 1)).includes(queue), false);
      assert.ok((await store.deliveries.listDue(holder, dueAt)).includes(queue));
      assert.deepEqual(ids(await store.deliveries.list(queue, null, 10)), [
        sessions[2],
        sessions[1],
        sessions[0],
      ]);
      const backlog = (await store.deliveries.backlog()).find((entry) => entry.queue === queue);
      assert.deepEqual(backlog, { queue, waiting: 1, oldestAt: t0, failures: 0 });
    });

    test('waits for no time that only a wrong clock can have set', async () => {
      const { queue, open } = await toldClient(store);
      await store.apiSessions.end(await open(), 'logout', t0);
      const wrong = t0 + 5 * HOUR;
      const held = { queue, holder: 'a', until: wrong + MINUTE };
      await store.deliveries.hold(held, wrong);
      const isDue = async (now: number) => (await store.deliveries.listDue('b', now)).includes(queue);
      assert.deepEqual([await isDue(wrong), await isDue(t0)], [false, true], 'held');
      const [first] = await store.deliveries.next(queue, { order: 'oldest', most: 9 }, wrong);
      const { seq = 0 } = first ?? {};
      const alone = { seq, state: 'waiting', result: 'HTTP 429', dueAt: wrong + MINUTE } as const;
      const noted = { deliveries: [alone], failures: 1, pausedUntil: wrong + MINUTE, now: wrong };
      assert.equal(await store.deliveries.note(held, noted), true);
      assert.deepEqual([await isDue(wrong), await isDue(t0)], [false, true], 'paused');
      assert.equal(await store.deliveries.hold({ ...held, holder: 'b', until: t0 + MINUTE }, t0), 1);
      assert.equal((await store.deliveries.next(queue, { order: 'oldest', most: 9 }, wrong)).length, 0);
      assert.equal((await store.deliveries.next(queue, { order: 'least-tried', most: 9 }, t0)).length, 1);
      await store.deliveries.release(queue, 'b');
    });

    test('is listed whole while a delivery changes its state', async () => {
      const { queue, open, holder, waiting } = await toldClient(store);
      await store.apiSessions.end(await open(), 'logout', t0);
      const [delivery] = await waiting();
      assert.ok(delivery);
      const hold = { queue, holder, until: t0 + MINUTE };
      await store.deliveries.hold(hold, t0);
      const delivered = { seq: delivery.seq, state: 'delivered', result: 'HTTP 200', dueAt: 0 } as const;
      const note = { deliveries: [delivered], failures: 0, pausedUntil: 0, now: t0 };
      const isListed = async () => assert.equal((await store.deliveries.list(queue, null, 10)).length, 1);
      for (let at = 0; at < 100; at += 1) {
        const [isNoted] = await Promise.all([store.deliveries.note(hold, note), isListed(), isListed()]);
        assert.equal(isNoted, true);
        await Promise.all([store.deliveries.replay(queue, { ids: [delivery.id] }, t0), isListed()]);
      }
    });

    test('loses what is too old, and the oldest beyond a number', async () => {
      const { queue, open, waiting } = await toldClient(store);
      const sessions = [];
      for (let at = 0; at < 5; at += 1) {
        sessions.push(await open());
        await store.apiSessions.end(sessions[at] as ApiSessionId, 'logout', t0 + at * SECOND);
      }
      assert.ok((await store.deliveries.deleteOld({ before: t0, most: 3 }, 1000)) >= 2);
      assert.deepEqual(ids(await waiting()), sessions.slice(2));
      assert.equal(await store.deliveries.deleteOld({ before: t0 + 4 * SECOND, most: 3 }, 2), 2);
      assert.deepEqual((await store.deliveries.list(queue, null, 10)).length, 1);
    });

    test('of one person many times pushes out that of no other person', async () => {
      const { client, queue, open, waiting } = await toldClient(store);
      const other = await createUser(store);
      const told = { request: { clientId: client.id }, session: { toldUntil: t0 + 30 * DAY } };
      const first = await openSession(store, other, told);
      await store.apiSessions.end(first, 'administrator', t0);
      const sessions = [];
      for (let at = 0; at < 5; at += 1) {
        sessions.push(await open());
        await store.apiSessions.end(sessions[at] as ApiSessionId, 'logout', t0 + at * SECOND);
      }
      assert.ok((await store.deliveries.deleteOld({ before: 0, most: 3 }, 1000)) >= 3);
      assert.deepEqual(ids(await waiting()), [first, ...sessions.slice(3)]);
      assert.equal((await store.deliveries.list(queue, null, 10)).length, 3);
    });
  });

  test('a notice for which an address has had enough in its hour wakes no node', async () => {
    const { id: identityId } = await createUser(store, {
      email: typedName('ana@example.com'),
      emailVerified: true,
    });
    const matter = { kind: 'notice', notice: 'password-changed', at: t0, ipAddress: null } as const;
    const mail = { identityId, language: 'en', issuer: '', matter } as const;
    const entries = async () => {
      const position = await store.changes.latest();
      const notices = [{ id: `password-changed:${identityId}`, mail, former: null }];
      await store.auditEvents.append([], null, { events: [], notices });
      return (await store.changes.readAfter(position)).changes.length;
    };
    const found: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) found.push(await entries());
    assert.deepEqual(found, [1, 1, 1, 0]);
  });

  describe('event subscriptions', () => {
    test('events are queued with what they tell, once, for subscriptions that there are', async () => {
      const [open, disabled] = [
        await newSubscription(store),
        await newSubscription(store, { enabled: false }),
      ];
      const append = (events: readonly string[]) => {
        const queued = events.flatMap((id) =>
          [open, disabled, 'unknown'].map((subscriber) => queuedEvent(subscriber, id)),
        );
        return store.auditEvents.append([], null, { events: queued });
      };
      const events = [newId(), newId()];
      const position = await store.changes.latest();
      await append(events);
      assert.equal((await store.changes.readAfter(position)).changes.length, 1, 'one notice for all');
      await append(events);
      const queue = queueOf('event', open);
      const waiting = async () => ids(await store.deliveries.next(queue, { order: 'oldest', most: 9 }, t0));
      assert.deepEqual(await waiting(), events);
      for (const other of [disabled, 'unknown'])
        assert.deepEqual(await store.deliveries.list(queueOf('event', other), null, 9), []);

      // While it is disabled, nothing is due, and it has no backlog.
      const isDue = async () => (await store.deliveries.listDue('holder', t0)).includes(queue);
      const hasBacklog = async () =>
        (await store.deliveries.backlog()).some((entry) => entry.queue === queue);
      assert.deepEqual([await isDue(), await hasBacklog()], [true, true]);
      await store.eventSubscriptions.update(open, { enabled: false }, t0);
      assert.deepEqual([await isDue(), await hasBacklog()], [false, false]);
      await store.eventSubscriptions.update(open, { enabled: true }, t0);

      const hold = { queue, holder: newId(), until: t0 + MINUTE };
      await store.deliveries.hold(hold, t0);
      const [first, second] = await store.deliveries.next(queue, { order: 'oldest', most: 9 }, t0);
      assert.ok(first && second);
      const deliveries = [
        { seq: first.seq, state: 'delivered', result: 'HTTP 200', dueAt: 0 },
        { seq: second.seq, state: 'failed', result: 'given up', dueAt: 0 },
      ] as const;
      await store.deliveries.note(hold, { deliveries, failures: 3, pausedUntil: t0 + HOUR, now: t0 });
      await store.deliveries.release(queue, hold.holder);
      const replay = (states: readonly ('delivered' | 'failed')[], since: number) =>
        store.deliveries.replay(queue, { states, since }, t0 + 1);
      assert.deepEqual([await replay(['failed'], t0 + 1), await isDue()], [0, false]);
      assert.equal(await replay(['failed'], t0), 1);
      assert.deepEqual([await waiting(), await isDue()], [[events[1]], true]);
      assert.equal(await store.deliveries.replay(queue, { ids: [...events, 'unknown'] }, t0 + 1), 1);
      assert.deepEqual(await waiting(), events, 'in the order in which they happened');
      assert.equal(await store.eventSubscriptions.delete(open, t0), true);
      assert.deepEqual(await store.deliveries.list(queue, null, 9), []);
    });
  });
}

/** @returns its id */
export async function newSubscription(
  store: Store,
  fields: { readonly enabled?: boolean } = {},
): Promise<EventSubscriptionId> {
  const id = asId<EventSubscriptionId>(newId());
  const subscription = {
    ...{
      ...defaultsOf(eventSubscriptionEntity),
      id,
      name: typedName(id),
      type: 'webhook' as const,
      url: 'https://siem.example',
    },
    ...{ sealedSecrets: null, secretCreatedAt: null, formerSecretUntil: null, ...fields },
  } as const;
  await store.eventSubscriptions.create(subscription, t0);
  return id;
}

export function queuedEvent(subscriber: string, id: string): QueuedEvent {
  return { kind: 'event', subscriber, id, payload: { type: 'key.rotated', at: t0, data: { id } } };
}
