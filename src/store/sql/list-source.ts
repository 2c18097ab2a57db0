// What a list is read from. Its fields are those of model/list-fields.ts: the names of the columns follow from theirs.

import type { FieldKind, ListFields } from '../../model/list-fields.ts';
import type { Statement } from './intent.ts';

/** How a field of an entity is stored. */
export interface StoredField {
  readonly column: string;
  readonly kind: FieldKind;
  /** Whether it may have no value. */
  readonly isOptional: boolean;
}

export interface ListSource {
  readonly table: string;
  /** A table that is joined for each entry, which finds exactly one row, or none and keeps the entry; fixed text. */
  readonly joined: { readonly table: string; readonly sql: string } | null;
  readonly select: string;
  /** Holds for every entry of the list. */
  readonly where: Statement;
  /** What may be named in filters and sorts. */
  readonly fields: Readonly<Record<string, StoredField>>;
  /** A unique column, which settles the order of equals. */
  readonly tieBreaker: string;
}

/**
 * A list of the rows of a table.
 * @param source.columns      of fields whose column has another name; `id` of a table whose unique column has
 * @param source.identity     how the identity that a row belongs to is joined: the row gets `identity_name`
 * @param source.select       what else is read of each row
 */
export function listSource(
  table: string,
  fields: ListFields,
  source: {
    readonly columns?: Readonly<Record<string, string>>;
    readonly identity?: 'JOIN' | 'LEFT JOIN';
    readonly select?: string;
    readonly where?: Statement;
  } = {},
): ListSource {
  const columns: Readonly<Record<string, string>> = {
    ...(source.identity === undefined ? {} : { identity: 'identities.name' }),
    ...source.columns,
  };
  const stored = [...fields.values()].map(({ field, kind, nullable }) => {
    const column = columns[field] ?? snakeCase(field);
    const qualified = column.includes('.') ? column : `${table}.${column}`;
    return [field, { column: qualified, kind, isOptional: nullable }] as const;
  });
  const id = { column: `${table}.${columns.id ?? 'id'}`, kind: 'text', isOptional: false } as const;
  const selected = [
    `${table}.*`,
    ...(source.identity === undefined ? [] : ['identities.name AS identity_name']),
    ...(source.select === undefined ? [] : [source.select]),
  ];
  return {
    table,
    joined:
      source.identity === undefined
        ? null
        : {
            table: 'identities',
            sql: `${source.identity} identities ON identities.id = ${table}.identity_id`,
          },
    select: selected.join(', '),
    where: source.where ?? { sql: '1 = 1', params: [] },
    fields: { id, ...Object.fromEntries(stored) },
    tieBreaker: id.column,
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
