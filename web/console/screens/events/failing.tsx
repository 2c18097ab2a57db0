import { Link } from '@tanstack/react-router';
import { Badge } from '../../../parts/screen.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { useList } from '../../queries.ts';
import type { EventSubscription } from '../../types.ts';
import { words } from './words.ts';

/** The subscriptions whose receiver did not take the last events; nothing while there is none. */
export function FailingSubscriptions() {
  const query = useList<EventSubscription>('event-subscriptions', {
    limit: 500,
    options: { refetchInterval: 60_000 },
  });
  const failing = query.data?.items.filter(({ failures }) => failures > 0) ?? [];
  if (failing.length === 0) return null;
  return (
    <EntriesCard
      id="failing-events"
      title={words.failingTitle}
      lead={words.failingText}
      query={query}
      itemsOf={() => failing}
      entry={(subscription) => (
        <>
          <Link to="/events/$id" params={{ id: subscription.id }}>
            {subscription.name || subscription.url}
          </Link>{' '}
          <Progress subscription={subscription} />
        </>
      )}
    />
  );
}

/** Whether deliveries go well, and how many events wait. */
export function Progress({ subscription }: { subscription: EventSubscription }) {
  const { failures, waiting } = subscription;
  if (failures > 0) return <Badge kind="bad">{words.failing(failures, waiting)}</Badge>;
  return <Badge kind="good">{words.waits(waiting)}</Badge>;
}
