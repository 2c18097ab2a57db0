// Lists with filters: the one place where SQL is put together at run time. Names come from an allow-list and
// values are always parameters; the query builder only compiles.

import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { AuthError } from '../../errors/auth-error.ts';
import type { Filter, FilterValue, ListQuery } from '../../model/list-query.ts';
import type { SqlValue, Statement } from './intent.ts';

/** How a field of an entity is stored. */
export interface ListField {
  readonly column: string;
  /** `time`: Millis inside, RFC 3339 text in filters. */
  readonly type: 'text' | 'boolean' | 'time';
}

/** What can be listed: where it comes from, and which fields may be named in filters and sorts. */
export interface ListSource {
  /** A table or tables joined; fixed text. */
  readonly from: string;
  readonly select: string;
  /** Holds for every entry of the list. */
  readonly where: Statement;
  readonly fields: Readonly<Record<string, ListField>>;
  /** A unique column, which settles the order of equals. */
  readonly tieBreaker: string;
}

type Sql = RawBuilder<unknown>;

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/**
 * The page and the count of a list.
 * @throws AuthError invalid_filter   a field that the list does not have, or a value of the wrong type
 */
export function compileList(
  source: ListSource,
  query: ListQuery,
): { readonly page: Statement; readonly count: Statement } {
  const fixed = source.where.params.reduce<Sql>(
    (built, value, at) => sql`${built}${value}${sql.raw(source.where.sql.split('?')[at + 1] ?? '')}`,
    sql.raw(source.where.sql.split('?')[0] ?? ''),
  );
  const matching = sql`FROM ${sql.raw(source.from)} WHERE (${fixed}) AND (${condition(source, query.filter)})`;
  const order = query.sort.map(({ field, descending }) => {
    const direction = descending ? sql`DESC` : sql`ASC`;
    return sql`${sql.raw(fieldOf(source, field).column)} ${direction}`;
  });
  const orderBy = sql.join([...order, sql.raw(source.tieBreaker)]);
  return {
    count: compiled(sql`SELECT count(*) AS total ${matching}`),
    page: compiled(
      sql`SELECT ${sql.raw(source.select)} ${matching} ORDER BY ${orderBy} LIMIT ${query.limit ?? -1} OFFSET ${query.offset}`,
    ),
  };
}

function compiled(query: Sql): Statement {
  const { sql: text, parameters } = query.compile(compiler);
  return { sql: text, params: parameters as readonly SqlValue[] };
}

function fieldOf(source: ListSource, name: string): ListField {
  const field = Object.hasOwn(source.fields, name) ? source.fields[name] : undefined;
  if (field !== undefined) return field;
  const known = Object.keys(source.fields).sort().join(', ');
  throw new AuthError('invalid_filter', {
    description: `There is no field ${JSON.stringify(name)} here. Known: ${known}`,
  });
}

function condition(source: ListSource, filter: Filter): Sql {
  switch (filter.op) {
    case 'true':
      return sql`1 = 1`;
    case 'and':
    case 'or':
      return sql.join(
        filter.terms.map((term) => sql`(${condition(source, term)})`),
        filter.op === 'and' ? sql` AND ` : sql` OR `,
      );
    case 'not':
      return sql`NOT (${condition(source, filter.term)})`;
    case 'in': {
      const field = fieldOf(source, filter.field);
      if (filter.values.length === 0) return sql`1 = 0`;
      const values = sql.join(filter.values.map((value) => sql`${stored(field, filter.field, value)}`));
      return sql`${sql.raw(field.column)} IN (${values})`;
    }
    case 'contains':
    case 'icontains': {
      const column = sql.raw(fieldOf(source, filter.field).column);
      const isCaseFolded = filter.op === 'icontains';
      const value = isCaseFolded ? filter.value.toLowerCase() : filter.value;
      // instr has no wildcards that would have to be escaped, and minds case.
      return isCaseFolded ? sql`instr(lower(${column}), ${value}) > 0` : sql`instr(${column}, ${value}) > 0`;
    }
    default:
      return comparison(source, filter.op, filter.field, filter.value);
  }
}

function comparison(source: ListSource, op: string, name: string, value: FilterValue): Sql {
  const field = fieldOf(source, name);
  const column = sql.raw(field.column);
  if (value === null) {
    if (op === '=') return sql`${column} IS NULL`;
    if (op === '!=') return sql`${column} IS NOT NULL`;
    throw new AuthError('invalid_filter', { description: `null can only be compared with = and !=` });
  }
  // The operator is one of the closed set of the filter's type.
  return sql`${column} ${sql.raw(op === '!=' ? '<>' : op)} ${stored(field, name, value)}`;
}

function stored(field: ListField, name: string, value: FilterValue): SqlValue {
  if (value === null) return null;
  if (field.type === 'text' && typeof value === 'string') return value;
  if (field.type === 'boolean' && typeof value === 'boolean') return value ? 1 : 0;
  if (field.type === 'time' && typeof value === 'number') return value;
  if (field.type === 'time' && typeof value === 'string') {
    const millis = Date.parse(value);
    if (Number.isFinite(millis)) return millis;
  }
  const wanted = { text: 'a text', boolean: 'true or false', time: 'a time like 2026-01-31T12:00:00Z' }[
    field.type
  ];
  throw new AuthError('invalid_filter', { description: `${name} is compared with ${wanted}` });
}
