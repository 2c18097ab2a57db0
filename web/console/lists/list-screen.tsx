import type { ReactNode } from 'react';
import { Screen } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { DataList, type DataListProps } from './data-list.tsx';
import { type Filter, Filters, useFilter } from './filters.tsx';

/** A screen with one list. */
export function ListScreen<Item>({
  screen,
  lead,
  tools,
  above,
  below,
  filters = [],
  always,
  empty,
  none = [texts.lists.noneYet, empty[1]],
  ...list
}: Omit<DataListProps<Item>, 'caption' | 'filter'> & {
  /** In place of `empty` where no filter is set. */
  readonly none?: DataListProps<Item>['empty'];
  readonly caption?: string;
  readonly screen: keyof typeof texts.screens;
  readonly lead?: string;
  readonly tools?: ReactNode;
  /** Shown above the list. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly filters?: readonly Filter[];
  /** A condition that is true for all rows, in the filter language. */
  readonly always?: string;
}) {
  const filter = useFilter(filters, always);
  const isFiltered = useFilter(filters) !== '' || filters.length === 0;
  return (
    <Screen title={texts.screens[screen]} tools={tools}>
      <div className="listing">
        {lead !== undefined && <p className="lead">{lead}</p>}
        {above}
        {filters.length > 0 && <Filters filters={filters} />}
        {/* Another list is another component: its rows must not be shown in the columns of this one. */}
        <DataList
          key={list.path}
          caption={texts.screens[screen]}
          filter={filter}
          empty={isFiltered ? empty : none}
          {...list}
        />
        {below}
      </div>
    </Screen>
  );
}
