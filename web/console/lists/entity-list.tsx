import { Link } from '@tanstack/react-router';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { contains, isFlag } from '../filter.ts';
import { fieldAt } from '../forms/entity-fields.ts';
import { type Named, screenOf } from '../forms/names.ts';
import { useIsAdmin } from '../me.ts';
import { fieldWords } from '../texts/fields.ts';
import { type Column, changedColumn, fieldColumn } from './columns.tsx';
import { choiceOf, type Filter } from './filters.tsx';
import { ListScreen } from './list-screen.tsx';

interface Listed extends Named {
  readonly updatedAt: string;
}

/** The list of all entities of a kind, searchable by name. Administrators can add one. */
export function EntityList<Item extends Listed>({
  entity,
  columns,
  words,
  filters: fields = [],
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
  const screen = screenOf(entity);
  const { labels, columns: heads = {}, choices, shortChoices = choices } = fieldWords(entity.kind);
  const name = fieldColumn<Item>(entity, 'name', (item) => (
    <Link to={`/${screen}/$id`} params={{ id: item.id }}>
      {item.name}
    </Link>
  ));
  const filters: readonly Filter[] = [
    { name: 'q', label: labels.name ?? '', where: (text) => contains('name', text) },
    ...fields.map((field) => ({
      ...choiceOf(field, heads[field] ?? labels[field] ?? field, shortChoices[field] ?? choices[field] ?? {}),
      ...(fieldAt(entity, field).kind === 'flag' && { where: (value: string) => isFlag(field, value) }),
    })),
  ];
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
      filters={filters}
      path={entity.collection}
      columns={[
        name,
        ...columns.map((one) => (typeof one === 'string' ? fieldColumn<Item>(entity, one) : one)),
        changedColumn,
      ]}
      defaultSort="name asc"
      empty={[words.nothing]}
      none={[words.none, words.noneText]}
    />
  );
}
