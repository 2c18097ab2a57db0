import type { ReactNode } from 'react';
import { Empty, Screen } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { DataList, type DataListProps } from './data-list.tsx';
import { Filters } from './filters.tsx';

type ListProps<Item> = Omit<DataListProps<Item>, 'caption' | 'keyOf' | 'empty' | 'tools'> & {
  readonly caption?: string;
  readonly keyOf?: DataListProps<Item>['keyOf'];
  readonly listTools?: DataListProps<Item>['tools'];
  /** What to say where there is none, and what to do about it. */
  readonly empty: readonly [title: string, text?: string];
};

/** A screen with one list. */
export function ListScreen<Item>({
  screen,
  lead,
  tools,
  above,
  below,
  filters,
  ...list
}: ListProps<Item> & {
  readonly screen: keyof typeof texts.screens;
  readonly lead?: string;
  readonly tools?: ReactNode;
  /** Shown above the list. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly filters?: ReactNode;
}) {
  return (
    <Screen title={texts.screens[screen]} tools={tools}>
      <div className="listing">
        {lead !== undefined && <p className="lead">{lead}</p>}
        {above}
        {filters !== undefined && <Filters>{filters}</Filters>}
        <DataListOf caption={texts.screens[screen]} {...list} />
        {below}
      </div>
    </Screen>
  );
}

function DataListOf<Item>({
  empty: [title, text],
  keyOf = idOf,
  caption = '',
  listTools,
  ...list
}: ListProps<Item>) {
  const empty = <Empty title={title}>{text !== undefined && <p>{text}</p>}</Empty>;
  // Another list is another component: its rows must not be shown in the columns of this one.
  return <DataList key={list.path} {...list} {...{ caption, keyOf, empty, tools: listTools }} />;
}

/** Of anything that the API lists. */
export function idOf(item: unknown): string {
  return (item as { readonly id: string }).id;
}
