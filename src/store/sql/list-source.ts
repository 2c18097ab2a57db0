// The table and joins of a list. Its fields are those of model/list-fields.ts; column names follow from field names.

import type { Entity, Field } from '../../model/entities/entity.ts';
import { identityEntity } from '../../model/entities/identity.ts';
import type { FieldKind, ListFields } from '../../model/list-fields.ts';
import { foldedName } from '../../model/names.ts';
import { raw, type Sql } from './intent.ts';
import { fieldOfUnique } from './unique-fields.ts';

/** How a field of an entity is stored. */
export interface StoredField {
  /** The name for clients. */
  readonly name: string;
  readonly column: string;
  /** Of a flag that other tables decide: the condition behind the column, which a planner can join. Null: it is a column. */
  readonly condition: string | null;
  /**
   * The column that has the text in lower case too, null in rows that another program wrote; its own if all texts are so.
   * Null: there is none.
   */
  readonly lowerCase: string | null;
  /** The column of folded names, which is unique and has the order of the field. Null: its own column has the order. */
  readonly orderedBy: string | null;
  /** The form in which `icontains` compares texts: that of `lowerCase`. */
  readonly fold: (text: string) => string;
  readonly kind: FieldKind;
  /** Whether it may have no value. */
  readonly isOptional: boolean;
  /** Whether no two entries have the same value. */
  readonly isUnique: boolean;
  /**
   * Whether an index has the order by it and by the key; `parts`: one has it for entries with a value, or for which the flag
   * is set; `filtered`: for those that a filter names. Null: none.
   */
  readonly order: 'whole' | 'parts' | 'filtered' | null;
}

export interface ListSource {
  readonly table: string;
  /**
   * A table joined to each entry. It matches at most one row, and entries without one are kept unless `isSure`: then each has
   * one. Fixed text.
   */
  readonly joined: { readonly table: string; readonly sql: string; readonly isSure: boolean } | null;
  readonly select: string;
  /** A condition that restricts the list. */
  readonly where: Sql;
  /** The fields that filters and sorts may name. */
  readonly fields: Readonly<Record<string, StoredField>>;
  /** A unique column that orders entries with equal sort values. */
  readonly tieBreaker: string;
}

/**
 * A list of the rows of a table.
 * @param source.columns      for fields whose column has another name; `id` if the unique column has another name
 * @param source.conditions   for flags that other tables decide
 * @param source.searched     columns whose texts are stored in lower case too
 * @param source.inOrder      fields whose order, with the key, has an index; the key and unique ones have it anyway
 * @param source.inParts      those that have it for entries with a value; flags and unique ones have it anyway
 * @param source.inFiltered   those that have it for entries that a filter names, which the engine finds out
 * @param source.named        columns of names that are stored as `foldedName` too, and where
 * @param source.identity     how to join the identity that a row belongs to; adds `identity_name` to the row
 * @param source.select       further columns to read
 */
export function listSource(
  table: string,
  fields: ListFields,
  source: {
    readonly columns?: Readonly<Record<string, string>>;
    readonly conditions?: Readonly<Record<string, string>>;
    readonly searched?: readonly string[];
    readonly inOrder?: readonly string[];
    readonly inParts?: readonly string[];
    readonly inFiltered?: readonly string[];
    readonly named?: Readonly<Record<string, string>>;
    readonly identity?: 'JOIN' | 'LEFT JOIN';
    readonly select?: string;
    readonly where?: Sql;
  } = {},
): ListSource {
  const columns: Readonly<Record<string, string>> = {
    ...(source.identity === undefined ? {} : { identity: 'identities.name' }),
    ...source.columns,
  };
  const searched = [...(source.searched ?? []), ...searchedColumnsOf(identityEntity)];
  const all: ListFields = new Map([['id', { field: 'id', kind: 'text', nullable: false }], ...fields]);
  const stored = [...all].map(([name, { field, kind, nullable }]) => {
    const condition = source.conditions?.[field] ?? null;
    const column = columns[field] ?? snakeCase(field);
    const ofTable = column.includes('.') ? column : `${table}.${column}`;
    const qualified = condition === null ? ofTable : `(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
    const named = source.named?.[qualified];
    const isUnique = field === 'id' || fieldOfUnique(named ?? qualified) !== undefined;
    // The system writes the addresses of sockets in lower case.
    const itself = qualified.endsWith('ip_address') ? qualified : null;
    const lowerCase = named ?? (searched.includes(qualified) ? lowerCaseColumn(qualified) : itself);
    const fold = named === undefined ? inLowerCase : foldedName;
    const names = { name, column: qualified, condition, lowerCase, orderedBy: named ?? null };
    const isWhole = (isUnique && !nullable) || source.inOrder?.includes(field);
    const isParted = isUnique || kind === 'boolean' || source.inParts?.includes(field);
    const isFiltered = source.inFiltered?.includes(field);
    const order = isWhole ? 'whole' : isParted ? 'parts' : isFiltered ? 'filtered' : null;
    return [field, { ...names, fold, kind, isOptional: nullable, isUnique, order }] as const;
  });
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
            isSure: source.identity === 'JOIN',
            sql: `${source.identity} identities ON identities.id = ${table}.identity_id`,
          },
    select: selected.join(', '),
    where: source.where ?? raw('1 = 1'),
    fields: Object.fromEntries(stored),
    tieBreaker: `${table}.${columns.id ?? 'id'}`,
  };
}

function inLowerCase(text: string): string {
  return text.toLowerCase();
}

/** The columns of an entity whose texts are stored in lower case too, as `table.column`. */
export function searchedColumnsOf({ table, fields }: Entity): readonly string[] {
  return Object.entries<Field>(fields).flatMap(([name, field]) =>
    field.isSearched ? [`${table}.${field.column ?? snakeCase(name)}`] : [],
  );
}

/** The column for what another one has, in lower case. */
export function lowerCaseColumn(column: string): string {
  return `${column}_lower`;
}

/** The column of a field: `createdAt` is in `created_at`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
