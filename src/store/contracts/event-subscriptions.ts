import type { EventSubscription, eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import type { Millis } from '../../platform/clock.ts';
import type { EntityStore } from './entities.ts';

/** Kept in memory, so each change adds an entry to the change feed. */
export interface EventSubscriptionStore extends EntityStore<typeof eventSubscriptionEntity> {
  listAll(): Promise<readonly EventSubscription[]>;
  /** With everything that was or is to be delivered to it. */
  delete(id: EventSubscription['id'], now: Millis): Promise<boolean>;
}
