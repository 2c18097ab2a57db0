import { Link } from '@tanstack/react-router';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { allOf, contains, isValue } from '../filter.ts';
import { fieldAt } from '../forms/entity-fields.ts';
import { type Named, screenOf } from '../forms/names.ts';
import { useIsAdmin } from '../me.ts';
import { fieldWords } from '../texts/fields.ts';
import { type Column, changedColumn, fieldColumn } from './columns.tsx';
import { useListAddress } from './data-list.tsx';
import { ChoiceFilter, TextFilter } from './filters.tsx';
import { ListScreen } from './list-screen.tsx';

interface Listed extends Named {
  readonly updatedAt: string;
}

/** The list of all entities of a kind, searchable by name. Administrators can add one. */
export function EntityList<Item extends Listed>({
  entity,
  columns,
  words,
  filters = [],
}: {
  entity: Entity;
  /** Between the name and the last change: those of fields by name. */
  columns: readonly (string | Column<Item>)[];
  words: {
    text: string;
    create: string;
    /** Where a filter finds none. */
    nothing: string;
    /** Where there is none at all, and what to do about it. */
    none: string;
    noneText: string;
  };
  /** Fields with a few values, to filter by. */
  filters?: readonly string[];
}) {
  const [address] = useListAddress();
  const screen = screenOf(entity);
  const { labels, columns: heads = {}, choices, shortChoices = choices } = fieldWords(entity.kind);
  const name = fieldColumn<Item>(entity, 'name', (item) => (
    <Link to={`/${screen}/$id`} params={{ id: item.id }}>
      {item.name}
    </Link>
  ));
  const chosen = filters.map((field) =>
    isValue(field, address[field], fieldAt(entity, field).kind === 'flag'),
  );
  const filter = allOf(contains('name', address.q), ...chosen);
  return (
    <ListScreen
      screen={screen}
      lead={words.text}
      tools={
        useIsAdmin() && (
          <Link to={`/${screen}/$id`} params={{ id: 'new' }} className="button main" id="create">
            {words.create}
          </Link>
        )
      }
      filters={
        <>
          <TextFilter name="q" label={labels.name ?? ''} />
          {filters.map((field) => (
            <ChoiceFilter
              key={field}
              name={field}
              label={heads[field] ?? labels[field] ?? field}
              choices={shortChoices[field] ?? choices[field] ?? {}}
            />
          ))}
        </>
      }
      path={entity.collection}
      columns={[
        name,
        ...columns.map((one) => (typeof one === 'string' ? fieldColumn<Item>(entity, one) : one)),
        changedColumn,
      ]}
      filter={filter}
      defaultSort="name asc"
      empty={filter === '' ? [words.none, words.noneText] : [words.nothing]}
    />
  );
}
