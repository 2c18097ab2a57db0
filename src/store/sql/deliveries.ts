// Deliveries to other services: an outbox. The intent that changes something adds the entries, so that they
// exist exactly when the change does.

import {
  type Delivery,
  type DeliveryKind,
  type DeliveryQueue,
  type DeliveryState,
  deliveryStates,
  eventKinds,
  longestPause,
  partsOfQueue,
  queueOf,
} from '../../model/delivery.ts';
import { mailServer, type QueuedNotice } from '../../model/mail.ts';
import type { Millis } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import type { DeliveryBacklog, DeliveryStore, NewDelivery, QueuedEvent } from '../contracts/deliveries.ts';
import { countOf, evict } from './bounded-trail.ts';
import { recordChange } from './changes.ts';
import { insertOr, integer, reader, text, textOrNull } from './codec.ts';
import { concern } from './concern.ts';
import { affects, all, among, deleteSome, first, type Intent, raw, run, type Sql, sql } from './intent.ts';

export const deliveries = concern<DeliveryStore>()({
  writes: {
    add: deliver,
    *hold({ queue, holder, until }, now) {
      const row = yield* first`UPDATE delivery_queues SET holder = ${holder}, held_until = ${until}
         WHERE queue = ${queue} AND ${isOver('paused_until', now)}
           AND (${isOver('held_until', now)} OR holder = ${holder})
         RETURNING failures`;
      return row === undefined ? null : integer(row, 'failures');
    },
    *note({ queue, holder, until }, { deliveries: attempted, failures, pausedUntil, now }) {
      const isHeld = yield* affects`UPDATE delivery_queues SET held_until = ${until},
         failures = ${failures}, paused_until = ${pausedUntil}
         WHERE queue = ${queue} AND holder = ${holder} RETURNING queue`;
      if (!isHeld) return false;
      for (const { seq, state, result, dueAt } of attempted) {
        if (state === 'forgotten') yield* run('DELETE FROM deliveries WHERE seq = ?', seq);
        else
          yield* run`UPDATE deliveries SET state = ${state}, result = ${result}, due_at = ${dueAt},
             attempts = attempts + 1, last_attempt_at = ${now}
             WHERE seq = ${seq} AND state = 'waiting'`;
      }
      return true;
    },
    release(queue, holder) {
      return run`UPDATE delivery_queues SET holder = NULL, held_until = 0
        WHERE queue = ${queue} AND holder = ${holder}`;
    },
    *replay(queue, args, now) {
      const which =
        'ids' in args
          ? sql`AND state <> 'waiting' AND id IN ${among(args.ids)}`
          : sql`AND state IN ${among(args.states)} AND created_at >= ${args.since}`;
      const replayed =
        yield* all`UPDATE deliveries SET state = 'waiting', attempts = 0, due_at = 0, created_at = ${now}, result = NULL
         WHERE seq IN (SELECT seq FROM deliveries WHERE queue = ${queue} ${which}
           ORDER BY seq LIMIT ${mostReplayed}) RETURNING seq`;
      if (replayed.length === 0) return 0;
      yield* run('UPDATE delivery_queues SET failures = 0, paused_until = 0 WHERE queue = ?', queue);
      yield* recordChange('delivery', queue, now);
      return replayed.length;
    },
  },
  intents: {
    *deleteOldOnes(old: Parameters<DeliveryStore['deleteOld']>[0], batch: number): Intent<number> {
      let deleted = yield* deleteSome(deliveriesOf(sql`created_at <= ${old.before}`), batch);
      for (const row of yield* all('SELECT queue FROM delivery_queues ORDER BY queue')) {
        for (const state of deliveryStates) {
          const queue = text(row, 'queue') as DeliveryQueue;
          const those = deliveriesOf(sql`queue = ${queue} AND state = ${state}`);
          const surplus = Math.min((yield* countOf(those)) - old.most, batch - deleted);
          if (surplus <= 0) continue;
          yield* evict(those, partsOfQueue(queue)[0] === 'logout' ? [[personLoggedOut]] : [], surplus);
          deleted += surplus;
        }
      }
      return deleted;
    },
  },
  methods: ({ write, read, all }) => ({
    listDue(holder, now) {
      const { sql: wanted, params } = dueQueues(holder, now);
      return all((row) => text(row, 'queue') as DeliveryQueue, wanted, ...params);
    },
    next(queue, { order, most }, now) {
      const { sql: wanted, params } = waitingOf(queue, now);
      return all(deliveryOf, `${wanted} ORDER BY ${inOrder[order]} LIMIT ?`, ...params, most);
    },
    async list<Kind extends DeliveryKind>(
      queue: DeliveryQueue<Kind>,
      state: DeliveryState | null,
      most: number,
    ) {
      const states = state === null ? deliveryStates : [state];
      const listed = await all(
        deliveryOf,
        newestSql(states.length),
        ...states.flatMap((asked) => [queue, asked, most]),
        most,
      );
      // Sound because a queue contains one kind.
      return listed as readonly Delivery<Kind>[];
    },
    backlog: () => all(backlogOf, backlogSql),
    async deleteOld(old, batch) {
      // Most installations deliver nothing.
      const [any] = await read('SELECT seq FROM deliveries LIMIT 1');
      return any === undefined ? 0 : write('deleteOldOnes', [old, batch]);
    },
  }),
});

const deliveriesOf = (where: Sql) => ({ table: 'deliveries', key: 'seq', where });

/** A person who logs in and out in a loop must not make an application miss the logouts of others. */
const personLoggedOut = `json(payload) ->> 'identityId'`;

const deliveryOf = reader<Delivery>()('seq id payload:json state attempts createdAt lastAttemptAt? result?');

// One statement: between two, a delivery that changes its state would be in neither. The index orders those of a state.
const newestOfState =
  'SELECT * FROM (SELECT * FROM deliveries WHERE queue = ? AND state = ? ORDER BY seq DESC LIMIT ?) AS newest';
const newestSql = (states: number) =>
  `${Array.from({ length: states }, () => newestOfState).join(' UNION ALL ')} ORDER BY seq DESC LIMIT ?`;
const inOrder = { oldest: 'seq', 'least-tried': 'attempts, seq' } as const;

/** Whether a wait has ended. One that is longer than any was set by a clock that was ahead, and would last as long. */
function isOver(column: 'paused_until' | 'held_until' | 'due_at', now: Millis): Sql {
  return sql`(${raw(column)} <= ${now} OR ${raw(column)} > ${now + 2 * longestPause})`;
}

function waitingOf(queue: DeliveryQueue, now: Millis): Sql {
  return sql`SELECT * FROM deliveries WHERE queue = ${queue} AND state = 'waiting' AND ${isOver('due_at', now)}`;
}

// The deliveries of an event subscription wait while it is disabled.
const isWanted = `NOT EXISTS (SELECT 1 FROM event_subscriptions WHERE enabled = 0
  AND delivery_queues.queue IN (${eventKinds.map((kind) => `'${queueOf(kind, '')}' || event_subscriptions.id`).join(', ')}))`;

function dueQueues(holder: string, now: Millis): Sql {
  return sql`SELECT queue FROM delivery_queues WHERE ${isOver('paused_until', now)}
    AND (${isOver('held_until', now)} OR holder = ${holder}) AND EXISTS (SELECT 1 FROM deliveries
      WHERE deliveries.queue = delivery_queues.queue AND state = 'waiting' AND ${isOver('due_at', now)})
    AND ${raw(isWanted)} ORDER BY queue`;
}

const backlogSql = `SELECT delivery_queues.queue AS queue, count(*) AS waiting, min(created_at) AS oldest_at,
    max(failures) AS failures
  FROM deliveries JOIN delivery_queues ON delivery_queues.queue = deliveries.queue
  WHERE state = 'waiting' AND ${isWanted} GROUP BY delivery_queues.queue ORDER BY delivery_queues.queue`;
const backlogOf = reader<DeliveryBacklog>()('queue waiting oldestAt failures');

/**
 * Queues a delivery, in the transaction of the intent that changes something, and tells all nodes of it. The same one
 * again changes nothing, unless it was given up.
 */
export function* deliver<Kind extends DeliveryKind>(queued: NewDelivery<Kind>, now: Millis): Intent<void> {
  const queue = queueOf(queued.kind, queued.subscriber);
  yield* openQueue(queue, now);
  yield* enqueue(queue, queued, now);
}

/** Queues events, in the transaction of the intent that records them. A subscription that is gone gets none. */
export function* deliverEvents(events: readonly QueuedEvent[]): Intent<void> {
  if (events.length === 0) return;
  const rows = yield* all('SELECT id FROM event_subscriptions WHERE enabled = 1');
  const subscribed = new Set(rows.map((row) => text(row, 'id')));
  const open = new Set<DeliveryQueue>();
  for (const event of events) {
    if (!subscribed.has(event.subscriber)) continue;
    const queue = queueOf(event.kind, event.subscriber);
    if (!open.has(queue)) yield* openQueue(queue, event.payload.at);
    open.add(queue);
    yield* enqueue(queue, event, event.payload.at);
  }
}

/**
 * Of one kind, to one address in an hour. If only the first were sent, a change that the person makes would hide that of
 * a stranger; if all were, a stranger who has learned how to log in could fill a mailbox.
 */
const mostNotices = 3;

/** Queues a notice for the verified address of its identity, in the transaction of the change. */
export function* deliverNotice({ id, mail, former }: QueuedNotice): Intent<void> {
  const row = yield* first`SELECT email, email_verified FROM identities WHERE id = ${mail.identityId}`;
  if (row === undefined) return;
  const to = former?.email ?? textOrNull(row, 'email');
  const isVerified = former?.isVerified ?? integer(row, 'email_verified') === 1;
  if (to === null || !isVerified) return;
  const queue = queueOf('mail', mailServer);
  const { at } = mail.matter;
  for (let nth = 0; nth < mostNotices; nth += 1) {
    // Each address has its own: who reads one may not read the other.
    const sent = { id: `${id}:${sha256(to)}:${nth}`, payload: { ...mail, to } };
    // Inserting decides: of several notices at once, none takes the place of another.
    const end = 'ON CONFLICT (queue, id) DO NOTHING RETURNING seq';
    if ((yield* insertOr('deliveries', waiting(queue, sent, at), end)) === undefined) continue;
    yield* openQueue(queue, at);
    return;
  }
}

/** Tells all nodes that something is queued. */
function* openQueue(queue: DeliveryQueue, now: Millis): Intent<void> {
  yield* recordChange('delivery', queue, now);
  const open = { queue, failures: 0, pausedUntil: 0, heldUntil: 0 };
  yield* insertOr('delivery_queues', open, 'ON CONFLICT (queue) DO NOTHING');
}

interface Queued {
  readonly id: string;
  readonly payload: unknown;
}

function waiting(queue: DeliveryQueue, { id, payload }: Queued, now: Millis): object {
  return { queue, id, payload, state: 'waiting', attempts: 0, dueAt: 0, createdAt: now };
}

function* enqueue(queue: DeliveryQueue, queued: Queued, now: Millis): Intent<void> {
  yield* insertOr(
    'deliveries',
    waiting(queue, queued, now),
    `ON CONFLICT (queue, id) DO UPDATE SET state = 'waiting', attempts = 0, due_at = 0, created_at = excluded.created_at
       WHERE deliveries.state = 'failed'`,
  );
}

/** Forgets a subscriber, with everything that was or is to be delivered to it. */
export function* forgetSubscriber(kind: DeliveryKind, subscriber: string): Intent<void> {
  const queue = queueOf(kind, subscriber);
  yield* run('DELETE FROM deliveries WHERE queue = ?', queue);
  yield* run('DELETE FROM delivery_queues WHERE queue = ?', queue);
}

const mostReplayed = 10_000;
