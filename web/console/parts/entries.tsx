import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card, Empty } from '../../parts/screen.tsx';
import { idOf } from '../lists/data-list.tsx';
import type { Page } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { Loaded } from './loaded.tsx';

/** The item of a list or of a page of one. */
type ItemIn<Found> = Found extends readonly (infer Item)[]
  ? Item
  : Found extends { readonly items: readonly (infer Item)[] }
    ? Item
    : never;

interface EntriesProps<Found, Item = ItemIn<Found>> {
  readonly query: UseQueryResult<Found>;
  /** Default: those of the list, or of the page. */
  readonly itemsOf?: (found: Found) => readonly Item[];
  /** Default: its id. */
  readonly keyOf?: (item: Item) => string;
  readonly entry: (item: Item) => ReactNode;
  /** The text of an empty list, and what to do about it. */
  readonly empty?: readonly [title: string, text?: string];
  /** Of the list; `rows` if actions stand beside each entry. */
  readonly kind?: 'entries' | 'ways' | 'rows';
}

/** A short list, which says so if there are more. */
export function Entries<Found, Item = ItemIn<Found>>({
  query,
  itemsOf = itemsIn,
  keyOf = idOf,
  entry,
  empty,
  kind = 'entries',
}: EntriesProps<Found, Item>) {
  return (
    <Loaded query={query}>
      {(found) => {
        const items = itemsOf(found);
        if (items.length === 0) return empty && <Empty title={empty[0]} text={empty[1]} />;
        return (
          <>
            <ul className={kind === 'rows' ? 'entries' : kind}>
              {items.map((item) => (
                <li key={keyOf(item)} className={kind === 'rows' ? 'session' : undefined}>
                  {entry(item)}
                </li>
              ))}
            </ul>
            <Rest found={found} />
          </>
        );
      }}
    </Loaded>
  );
}

function Rest({ found }: { found: unknown }) {
  if (!isPage(found)) return null;
  const { items, total, isEstimate } = found;
  if (total <= items.length) return null;
  const { page, pageOfMore } = texts.lists;
  return <p className="hint">{(isEstimate ? pageOfMore : page)(1, items.length, total)}</p>;
}

/** Some answers hold their items in other members, and are always whole. */
function isPage(found: unknown): found is Page<unknown> {
  return typeof found === 'object' && found !== null && 'items' in found && 'total' in found;
}

function itemsIn<Item>(found: unknown): readonly Item[] {
  return Array.isArray(found) ? found : (found as { readonly items: readonly Item[] }).items;
}

/** A card with a short list. */
export function EntriesCard<Found, Item = ItemIn<Found>>({
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
