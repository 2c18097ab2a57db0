import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card, Empty } from '../../parts/screen.tsx';
import { Loaded } from './loaded.tsx';

interface EntriesProps<Found, Item> {
  readonly query: UseQueryResult<Found>;
  readonly itemsOf: (found: Found) => readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly entry: (item: Item) => ReactNode;
  /** What to say if there is none, and what to do about it. */
  readonly empty?: readonly [title: string, text?: string];
  /** Of the list; `rows` if actions stand beside each entry. */
  readonly kind?: 'entries' | 'ways' | 'rows';
}

/** A short list. */
export function Entries<Found, Item>({
  query,
  itemsOf,
  keyOf,
  entry,
  empty,
  kind = 'entries',
}: EntriesProps<Found, Item>) {
  return (
    <Loaded query={query}>
      {(found) => {
        const items = itemsOf(found);
        if (items.length === 0)
          return empty && <Empty title={empty[0]}>{empty[1] !== undefined && <p>{empty[1]}</p>}</Empty>;
        return (
          <ul className={kind === 'rows' ? 'entries' : kind}>
            {items.map((item) => (
              <li key={keyOf(item)} className={kind === 'rows' ? 'session' : undefined}>
                {entry(item)}
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

/** A card with a short list. */
export function EntriesCard<Found, Item>({
  id,
  title,
  tools,
  lead,
  ...entries
}: EntriesProps<Found, Item> & {
  readonly id: string;
  readonly title: string;
  readonly tools?: ReactNode;
  readonly lead?: string;
}) {
  return (
    <Card id={id} title={title} tools={tools}>
      {lead !== undefined && <p className="hint">{lead}</p>}
      <Entries {...entries} />
    </Card>
  );
}
