import type { ReactNode } from 'react';
import { Screen } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { DataList, type DataListProps } from './data-list.tsx';
import { Filters } from './filters.tsx';

/** A screen with one list. */
export function ListScreen<Item>({
  screen,
  lead,
  tools,
  above,
  below,
  filters,
  ...list
}: Omit<DataListProps<Item>, 'caption'> & {
  readonly caption?: string;
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
        {/* Another list is another component: its rows must not be shown in the columns of this one. */}
        <DataList key={list.path} caption={texts.screens[screen]} {...list} />
        {below}
      </div>
    </Screen>
  );
}
