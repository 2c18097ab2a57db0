import { eventKinds } from '../../model/delivery.ts';
import { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { EventSubscriptionStore, NewEventSubscription } from '../contracts/event-subscriptions.ts';
import { recordChange } from './changes.ts';
import type { Database } from './codec.ts';
import { forgetSubscriber } from './deliveries.ts';
import { entityTable } from './entity-table.ts';
import { affects, type Intent } from './intent.ts';

const table = entityTable(eventSubscriptionEntity);

export const eventSubscriptionIntents = {
  createEventSubscription,
  updateEventSubscription,
  deleteEventSubscription,
} as const;

export function eventSubscriptionStore({
  writing,
  read,
  find,
  list,
}: Database<typeof eventSubscriptionIntents>): EventSubscriptionStore {
  return {
    find: (id) => find(table.read, 'SELECT * FROM event_subscriptions WHERE id = ?', id),
    list: (query) => list(table.listed, query, table.read),
    async listAll() {
      return (await read('SELECT * FROM event_subscriptions ORDER BY id')).map((row) => table.read(row));
    },
    ...writing({
      create: 'createEventSubscription',
      update: 'updateEventSubscription',
      delete: 'deleteEventSubscription',
    }),
  };
}

function* createEventSubscription(subscription: NewEventSubscription, now: Millis): Intent<void> {
  yield* table.insert(subscription, now);
  yield* recordChange('event-subscription', subscription.id, now);
}

function* updateEventSubscription(
  id: string,
  patch: PatchOf<typeof eventSubscriptionEntity>,
  now: Millis,
): Intent<boolean> {
  if ((yield* table.update({ id, patch, now })) === undefined) return false;
  yield* recordChange('event-subscription', id, now);
  return true;
}

function* deleteEventSubscription(id: string, now: Millis): Intent<boolean> {
  if (!(yield* affects('DELETE FROM event_subscriptions WHERE id = ? RETURNING id', id))) return false;
  for (const kind of eventKinds) yield* forgetSubscriber(kind, id);
  yield* recordChange('event-subscription', id, now);
  return true;
}
