import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty, Screen } from '../../parts/screen.tsx';
import { allOf, contains } from '../filter.ts';
import { useIsAdmin } from '../me.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import { type Column, DataList, useListAddress } from './data-list.tsx';
import { Filters, TextFilter } from './filters.tsx';

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
}

/** The name of an entity, as a link to it. @param screen the first part of its address in the console */
export function nameColumn(screen: EntityScreen, title: string): Column<Entity> {
  return {
    name: 'name',
    title,
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to={`/${screen}/$id`} params={{ id }}>
        {name}
      </Link>
    ),
    text: ({ name }) => name,
  };
}

/** When an entity was last changed. */
export const changedColumn: Column<Entity> = {
  name: 'updatedAt',
  title: texts.policies.changed,
  sort: 'updatedAt',
  // What has come with the database was made at no time.
  cell: ({ updatedAt }) => (Date.parse(updatedAt) === 0 ? texts.never : <Time at={updatedAt} />),
  text: ({ updatedAt }) => updatedAt,
};

type EntityScreen = 'cas' | 'clients' | 'policies' | 'signers';

/** The list of all entities of a kind, searchable by name. Administrators can add one. */
export function EntityList<Item extends Entity>(props: {
  readonly screen: EntityScreen;
  /** The path in the management API. */
  readonly path: string;
  readonly columns: readonly Column<Item>[];
  readonly words: {
    readonly text: string;
    readonly create: string;
    /** Where a filter finds none. */
    readonly nothing: string;
    /** Where there is none at all, and what to do about it. */
    readonly none: string;
    readonly noneText: string;
  };
  readonly nameLabel: string;
  /** The id of the link that adds one. */
  readonly createId: string;
  /** Filters in addition to the name: their controls. */
  readonly filters?: ReactNode;
  readonly filter?: string | null;
}) {
  const { screen, path, columns, words, nameLabel, createId, filters, filter = null } = props;
  const [{ q }] = useListAddress();
  const isFiltered = filter !== null || (q !== undefined && q !== '');
  return (
    <Screen
      title={texts.screens[screen]}
      lead={words.text}
      tools={
        useIsAdmin() && (
          <Link to={`/${screen}/$id`} params={{ id: 'new' }} className="button main" id={createId}>
            {words.create}
          </Link>
        )
      }
    >
      <Filters>
        <TextFilter name="q" label={nameLabel} />
        {filters}
      </Filters>
      <DataList
        path={path}
        caption={texts.screens[screen]}
        columns={columns}
        keyOf={({ id }) => id}
        filter={allOf(contains('name', q), filter)}
        defaultSort="name asc"
        empty={
          isFiltered ? (
            <Empty title={words.nothing} />
          ) : (
            <Empty title={words.none}>
              <p>{words.noneText}</p>
            </Empty>
          )
        }
      />
    </Screen>
  );
}
