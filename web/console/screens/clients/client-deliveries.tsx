import { Badge } from '../../../parts/screen.tsx';
import { EntriesCard } from '../../parts/entries.tsx';
import { Time } from '../../parts/time.tsx';
import { useRead } from '../../queries.ts';
import type { LogoutDelivery } from '../../types.ts';
import { words } from './words.ts';

const kinds = { waiting: 'plain', delivered: 'good', failed: 'bad' } as const;

/** What the application was told of sessions that ended, the newest first. */
export function ClientDeliveries({ id }: { readonly id: string }) {
  const path = `oidc-clients/${encodeURIComponent(id)}/deliveries?limit=20`;
  const query = useRead<readonly LogoutDelivery[]>(['deliveries', id], path, { refetchInterval: 10_000 });
  return (
    <EntriesCard
      id="deliveries"
      title={words.deliveries}
      lead={words.deliveriesText}
      query={query}
      itemsOf={(deliveries) => deliveries}
      keyOf={(delivery) => delivery.id}
      empty={[words.noDeliveries]}
      entry={({ createdAt, state, attempts, result, sessionId }) => (
        <>
          <Time at={createdAt} isPrecise /> <Badge kind={kinds[state]}>{words.deliveryStates[state]}</Badge>{' '}
          {result !== null && words.tried(attempts, result)}{' '}
          <span className="hint">
            {words.session} <code>{sessionId}</code>
          </span>
        </>
      )}
    />
  );
}
