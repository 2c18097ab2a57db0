import { eventKinds } from '../../model/delivery.ts';
import { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import type { EventSubscriptionStore } from '../contracts/event-subscriptions.ts';
import { recordChange } from './changes.ts';
import { concern } from './concern.ts';
import { forgetSubscriber } from './deliveries.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { affects } from './intent.ts';

const table = entityTable(eventSubscriptionEntity);

export const eventSubscriptions = concern<EventSubscriptionStore>()({
  writes: {
    ...usualWrites(table, 'event-subscription'),
    *delete(id, now) {
      if (!(yield* affects('DELETE FROM event_subscriptions WHERE id = ? RETURNING id', id))) return false;
      for (const kind of eventKinds) yield* forgetSubscriber(kind, id);
      yield* recordChange('event-subscription', id, now);
      return true;
    },
  },
  methods: (database) => usualMethods(table, database),
});
