// The table of a managed entity, made of its description (model/entities/): rows as model values, statements that
// insert and change one, the fields of its lists. Structures are stored as JSON, booleans as 0 and 1.

import { type Entity, type Field, mayBeNull, type Stored } from '../../model/entities/entity.ts';
import { listFieldsOf } from '../../model/entities/listed-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import {
  assigned,
  type Column,
  first,
  type Intent,
  insertRows,
  memberOf,
  raw,
  all as rowsOf,
  run,
  type SqlRow,
  type SqlValue,
  type StoredAs,
  sqlOf,
} from './intent.ts';
import { type ListSource, listSource, lowerCaseColumn, searchedColumnsOf, snakeCase } from './list-source.ts';

export interface EntityTable<Value> {
  readonly entity: Entity;
  readonly table: string;
  /** Selects the row with an id. */
  readonly byId: string;
  /** @param prefix of the columns in a join */
  read(this: void, row: SqlRow, prefix?: string): Value;
  /** `SELECT` list for `read` with that prefix. */
  columns(prefix: string): string;
  insertAll(values: readonly (object & { id: string })[], now: Millis): Intent<void>;
  /** Changes the fields that are given. @returns the changed row; undefined when there is none */
  update(change: { id: string; patch: object; now: Millis }): Intent<SqlRow | undefined>;
  readonly listed: ListSource;
}

/** @param source of its lists, beyond the listed fields */
export function entityTable<E extends Entity>(
  entity: E,
  source: Parameters<typeof listSource>[2] = {},
): EntityTable<Stored<E>> {
  const { table } = entity;
  const stored = Object.entries<Field>(entity.fields).flatMap(([name, field]) => {
    const column = columnOf(name, field);
    if (column === null) return [];
    const { isSearched = false } = field;
    return [{ name, column, isSearched, isNullable: mayBeNull(field), as: storedAs(field) }];
  });
  const all = ['id', ...stored.map(({ column }) => column), 'created_at', 'updated_at'];
  const renamed = stored.filter(({ name, column }) => column !== snakeCase(name));
  const columns = Object.fromEntries(renamed.map(({ name, column }) => [name, column]));

  function valuesOf(fields: object): readonly Column[] {
    const given = fields as Readonly<Record<string, unknown>>;
    return stored.flatMap(({ name, column, isSearched }): Column[] => {
      if (given[name] === undefined) return [];
      const set: Column = [column, sqlOf(given[name])];
      return isSearched ? [set, [lowerCaseColumn(column), inLowerCase(set[1])]] : [set];
    });
  }

  const rowOf = (value: object & { id: string }, now: Millis): readonly Column[] => [
    ['id', value.id],
    ...valuesOf(value),
    ['created_at', now],
    ['updated_at', now],
  ];

  return {
    entity,
    table,
    byId: `SELECT * FROM ${table} WHERE id = ?`,
    read(row, prefix = '') {
      const value: Record<string, unknown> = { id: row[`${prefix}id`] };
      for (const { name, column, isNullable, as } of stored) {
        const found = row[prefix + column] ?? null;
        if (found === null && !isNullable) throw new Error(`column ${table}.${column} holds nothing`);
        value[name] = memberOf(found, as);
      }
      value.createdAt = row[`${prefix}created_at`];
      value.updatedAt = row[`${prefix}updated_at`];
      // Sound because the fields have these types.
      return value as Stored<E>;
    },
    columns: (prefix) => all.map((column) => `${table}.${column} AS ${prefix}${column}`).join(', '),
    insertAll(values, now) {
      const rows = values.map((value) => rowOf(value, now));
      return insertRows(table, rows);
    },
    update: ({ id, patch, now }) => {
      const set = assigned([['updated_at', now], ...valuesOf(patch)]);
      return first`UPDATE ${raw(table)} SET ${set} WHERE id = ${id} RETURNING *`;
    },
    listed: listSource(table, listFieldsOf(entity), {
      searched: searchedColumnsOf(entity),
      ...source,
      columns: { ...columns, ...source.columns },
    }),
  };
}

function inLowerCase(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** Fills the columns in lower case of a database from before they were there. */
export function* lowerCaseEverything(entity: Entity): Intent<void> {
  const { table } = entity;
  for (const column of searchedColumnsOf(entity)) {
    const name = column.slice(table.length + 1);
    const lower = lowerCaseColumn(name);
    const given = `WHERE ${name} IS NOT NULL`;
    yield* run(`UPDATE ${table} SET ${lower} = lower(${name}) ${given}`);
    // The engines do not know every letter.
    for (const { id = null, value = null, [lower]: found } of yield* rowsOf(
      `SELECT id, ${name} AS value, ${lower} FROM ${table} ${given}`,
    ))
      if (found !== inLowerCase(value))
        yield* run(`UPDATE ${table} SET ${lower} = ? WHERE id = ?`, inLowerCase(value), id);
  }
}

/** The column of a field; null: it is not stored. */
export function columnOf(name: string, { column = snakeCase(name) }: Field): string | null {
  return column;
}

const plainKinds: ReadonlySet<Field['kind']> = new Set([
  ...(['text', 'pem', 'picture', 'choice', 'reference', 'number', 'integer', 'time', 'duration'] as const),
]);

function storedAs({ kind }: Field): StoredAs {
  if (kind === 'flag') return 'flag';
  return plainKinds.has(kind) ? 'plain' : 'json';
}
