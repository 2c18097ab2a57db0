import type { ReactNode } from 'react';
import { count, wordsOf } from '../../parts/language.ts';
import { Badge } from '../../parts/screen.tsx';
import { useRead } from '../queries.ts';
import type { EventDelivery, LogoutDelivery } from '../types.ts';
import { EntriesCard } from './entries.tsx';

const kinds = { waiting: 'plain', delivered: 'good', failed: 'bad' } as const;

const { states, tried } = wordsOf({
  states: {
    waiting: ['waiting', 'wartet'],
    delivered: ['delivered', 'zugestellt'],
    failed: ['given up', 'aufgegeben'],
  },
  tried: (attempts: number, result: string) => [
    `${count(attempts, 'attempt', 'attempts')}: ${result}`,
    `${count(attempts, 'Versuch', 'Versuche')}: ${result}`,
  ],
});

/** Deliveries of the server to another one, the newest first, with their state. */
export function Deliveries<Delivery extends EventDelivery | LogoutDelivery>({
  collection,
  id,
  words,
  entry,
}: {
  /** Of the receiver. */
  collection: 'event-subscriptions' | 'oidc-clients';
  id: string;
  words: Readonly<Record<'deliveries' | 'deliveriesText' | 'noDeliveries', string>>;
  entry: (delivery: Delivery, outcome: ReactNode) => ReactNode;
}) {
  const path = `${collection}/${encodeURIComponent(id)}/deliveries?limit=20`;
  const query = useRead<readonly Delivery[]>(path, { refetchInterval: 10_000 });
  return (
    <EntriesCard
      id="deliveries"
      title={words.deliveries}
      lead={words.deliveriesText}
      query={query}
      empty={[words.noDeliveries]}
      entry={(delivery) => {
        const { state, attempts, result } = delivery;
        return entry(
          delivery,
          <>
            <Badge kind={kinds[state]}>{states[state]}</Badge> {result !== null && tried(attempts, result)}
          </>,
        );
      }}
    />
  );
}
