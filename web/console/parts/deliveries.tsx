import type { ReactNode } from 'react';
import { Badge } from '../../parts/screen.tsx';
import { useRead } from '../queries.ts';
import { wordsOf } from '../texts/texts.ts';
import type { EventDelivery, LogoutDelivery } from '../types.ts';
import { EntriesCard } from './entries.tsx';

const kinds = { waiting: 'plain', delivered: 'good', failed: 'bad' } as const;

const en = {
  states: { waiting: 'waiting', delivered: 'delivered', failed: 'given up' },
  tried: (attempts: number, result: string) =>
    attempts === 1 ? `1 attempt: ${result}` : `${attempts} attempts: ${result}`,
};
const { states, tried } = wordsOf(en, {
  states: { waiting: 'wartet', delivered: 'zugestellt', failed: 'aufgegeben' },
  tried: (attempts, result) => (attempts === 1 ? `1 Versuch: ${result}` : `${attempts} Versuche: ${result}`),
});

/** What the server has sent or will send to another one, the newest first, and how far it is. */
export function Deliveries<Delivery extends EventDelivery | LogoutDelivery>({
  collection,
  id,
  words,
  entry,
}: {
  /** Of the receiver. */
  readonly collection: 'event-subscriptions' | 'oidc-clients';
  readonly id: string;
  readonly words: Readonly<Record<'deliveries' | 'deliveriesText' | 'noDeliveries', string>>;
  readonly entry: (delivery: Delivery, outcome: ReactNode) => ReactNode;
}) {
  const path = `${collection}/${encodeURIComponent(id)}/deliveries?limit=20`;
  const query = useRead<readonly Delivery[]>(['deliveries', id], path, { refetchInterval: 10_000 });
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
