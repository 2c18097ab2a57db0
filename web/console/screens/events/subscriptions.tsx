import { eventSubscriptionEntity } from '../../../../src/model/entities/event-subscription.ts';
import { Badge } from '../../../parts/screen.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import type { EventSubscription } from '../../types.ts';
import { words } from './words.ts';

export function SubscriptionsScreen() {
  return (
    <EntityList<EventSubscription>
      entity={eventSubscriptionEntity}
      screen="events"
      columns={[
        'type',
        'enabled',
        'url',
        {
          name: 'progress',
          title: words.progress,
          cell: (of) => <Progress subscription={of} />,
          text: ({ failures, waiting }) => words.failing(failures, waiting),
        },
      ]}
      words={words}
      filters={['type', 'enabled']}
    />
  );
}

/** Whether deliveries go well, and how many events wait. */
export function Progress({ subscription }: { subscription: EventSubscription }) {
  const { failures, waiting } = subscription;
  if (failures > 0) return <Badge kind="bad">{words.failing(failures, waiting)}</Badge>;
  return <Badge kind="good">{words.waits(waiting)}</Badge>;
}
