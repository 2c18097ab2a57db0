// Columns of lists.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { fieldAt, isEmpty, valueAt } from '../forms/entity-fields.ts';
import { FieldValue } from '../forms/field-value.tsx';
import type { Named } from '../forms/names.ts';
import { Time } from '../parts/time.tsx';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';

export interface Column<Item> {
  readonly name: string;
  readonly title: string;
  /** Null: only in exports. */
  readonly cell: ((item: Item) => ReactNode) | null;
  /** The text in an export, which cannot be derived from the cell. Null: not exported. */
  readonly text: ((item: Item) => string) | null;
  /** The API's field to sort by; null or absent: not sortable. */
  readonly sort?: string | null;
}

type With<Name extends string, Value = string | null> = { readonly [Of in Name]: Value };

interface Details<Item> {
  /** Instead of the text. Null: only in exports. */
  readonly cell?: ((item: Item) => ReactNode) | null;
  /** The API's field to sort by, where it is not that of the column; null: not sortable. */
  readonly sort?: string | null;
}

/** @param name of the API's field, by which the list can be sorted */
export function textColumn<Name extends string, Item extends With<Name>>(
  name: Name,
  title: string,
  { cell = (item) => item[name], sort = name }: Details<Item> = {},
): Column<Item> {
  return { name, title, sort, cell, text: (item) => item[name] ?? '' };
}

/** An id, an address or the like. */
export function codeColumn<Name extends string>(name: Name, title: string, sort: string | null = name) {
  return textColumn<Name, With<Name>>(name, title, {
    sort,
    cell: (item) => item[name] !== null && <code>{item[name]}</code>,
  });
}

export function timeColumn<Name extends string>(
  name: Name,
  title: string,
  { isPrecise = false, sort = name }: { isPrecise?: boolean; sort?: string | null } = {},
): Column<With<Name, string>> {
  return {
    name,
    title,
    sort,
    cell: (item) => <Time at={item[name]} isPrecise={isPrecise} />,
    text: (item) => item[name],
  };
}

/** A deleted person no longer has a name. */
export function PersonLink({ of: { id, name } }: { of: Named }) {
  return (
    <Link to="/people/$id" params={{ id }}>
      {name === '' ? id : name}
    </Link>
  );
}

/** Whom something is about. */
export const personColumn: Column<{
  readonly identityId: string;
  readonly identity: { readonly name: string };
}> = {
  name: 'person',
  title: texts.attempts.person,
  sort: 'identityName',
  cell: ({ identityId, identity: { name } }) => <PersonLink of={{ id: identityId, name }} />,
  text: ({ identity }) => identity.name,
};

/** The actions for an item. */
export function actionsColumn<Item>(cell: (item: Item) => ReactNode): Column<Item> {
  return { name: 'actions', title: texts.person.actions, sort: null, cell, text: null };
}

/** When an entity was last changed. */
export const changedColumn: Column<With<'updatedAt', string>> = {
  ...timeColumn('updatedAt', fieldWords('').labels.updatedAt ?? ''),
  // Entities that came with the database have no time of change.
  cell: ({ updatedAt }) => (Date.parse(updatedAt) === 0 ? texts.never : <Time at={updatedAt} />),
};

/**
 * A field of a managed entity: how it is shown and whether it is sorted follows from its table. An order by lists of texts
 * tells a person nothing, and no index has it.
 */
export function fieldColumn<Item extends object>(
  entity: Entity,
  name: string,
  cell?: (item: Item) => ReactNode,
): Column<Item> {
  const { labels, columns = {} } = fieldWords(entity.kind);
  const { shownAs = name, isListed, kind } = fieldAt(entity, name);
  return {
    name,
    title: columns[name] ?? labels[name] ?? name,
    sort: isListed && kind !== 'texts' && kind !== 'choices' ? shownAs : null,
    cell: cell ?? ((item) => shownField(entity, name, item)),
    text: (item) => plainText(valueAt(item, shownAs)),
  };
}

/** Facts about an entity. Fields without a value are omitted. */
export function factsOf(entity: Entity, document: object, names: readonly string[]) {
  const { labels } = fieldWords(entity.kind);
  return names.map((name): readonly [string, ReactNode] | null => {
    const value = valueAt(document, fieldAt(entity, name).shownAs ?? name);
    const isNone = value === null || (typeof value === 'object' && isEmpty(value));
    return isNone ? null : [labels[name] ?? name, shownField(entity, name, document)];
  });
}

function shownField(entity: Entity, path: string, document: object): ReactNode {
  const field = fieldAt(entity, path);
  const value = valueAt(document, field.shownAs ?? path);
  const shown = <FieldValue kind={entity.kind} {...{ path, field, value }} />;
  return field.kind === 'text' && path !== 'name' ? <code>{shown}</code> : shown;
}

function plainText(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : String(value ?? '');
}
