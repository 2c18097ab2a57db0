// Lists with filters: the only place that composes SQL at run time. Names come from an allow-list and values are always
// parameters.

import { AuthError } from '../../errors/auth-error.ts';
import type { FieldKind } from '../../model/list-fields.ts';
import {
  conjunctsOf,
  type Filter,
  type FilterValue,
  type ListQuery,
  termsOf,
} from '../../model/list-query.ts';
import { foldedName } from '../../model/names.ts';
import type { Dialect } from './engine.ts';
import { among, raw, type Sql, type SqlValue, sql, together } from './intent.ts';
import type { ListSource, StoredField } from './list-source.ts';
import { countedExactly } from './list-total.ts';

/** Far more than a person writes. Longer filters would only keep the database busy. */
const maxFilterParts = 500;

/** From here on skipping rows costs more than reading those of the page apart. */
export const farOffset = 1000;

/** More than any table has. With it, engines plan a subquery for itself. */
const everyEntry = Number.MAX_SAFE_INTEGER;

/** The statements of a list. */
export interface CompiledList {
  /** Whether no index has the order, so that all entries that match are read to find a page. */
  readonly isSorted: boolean;
  /** Whether the filter names a joined table, so that comparing an entry takes a row of another table. */
  readonly isJoined: boolean;
  /** The engine chooses whether it sorts what matches or compares the entries in their order. */
  page(): Sql;
  /**
   * The page where at most `countedExactly` entries match, and in each row how many do, as `list_total`; if they are more, the
   * page is wrong. It has no row where no entry is on the page.
   */
  pageOfFew(): Sql;
  /** The page if it is among so many first entries of the order, or less of it. Null: no index has this order. */
  pageAmongFirst(entries: number): Sql | null;
  /** The page from all that match. */
  pageOfSorted(): Sql;
  /** Counts the entries, up to `countedExactly` plus one. */
  count(): Sql;
  /** Counts the entries among this part of the table's rows. */
  countOf(part: number): Sql;
  /** The keys of all entries in their order, as a JSON array: at most `most`. */
  keys(most: number): Sql;
}

/**
 * The page and the total of a list. Comparing an unset value is false, and the negation of that is true.
 * @throws AuthError invalid_filter   a field that the list does not have, a value of the wrong type, too many terms
 */
export function compileList(dialect: Dialect, source: ListSource, query: ListQuery): CompiledList {
  if (partsOf(query.filter) > maxFilterParts || query.sort.length > maxFilterParts)
    throw new AuthError('invalid_filter', {
      description: `A filter can have at most ${maxFilterParts} terms and values`,
    });
  const inTime = raw(dialect.withinTime(source.table));
  const matches = sql`(${source.where}) AND (${wholeCondition(dialect, source, query.filter)})`;
  const where = sql`WHERE ${inTime} AND ${matches}`;
  const { table, joined } = source;
  const whole = joined === null ? table : `${table} ${joined.sql}`;
  // Joins that only add columns do not change the number of entries, and are most of the work.
  const join = joined !== null && names(source, joined.table, query.filter) ? joined.sql : '';
  const counted = `${table} ${join}`;
  const sort = sortOf(source, query);
  const decisive = sort.findIndex(({ isUnique, isOptional }) => isUnique && !isOptional);
  const sorted = decisive < 0 ? [...sort, ofKey(source, sort)] : sort.slice(0, decisive + 1);
  const orderedBy = (expressionOf: (column: string, at: number) => string) =>
    raw(sorted.map((field, at) => `${expressionOf(field.column, at)} ${directionOf(field)}`).join(', '));
  const orderBy = orderedBy((column) => column);
  const selected = (columns: string, limit: number, from = whole) =>
    sql`SELECT ${raw(columns)} FROM ${raw(from)} ${where} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${query.offset}`;
  const isSortedByJoined = sort.some(({ column }) => !column.startsWith(`${table}.`));
  const isFar = query.offset >= farOffset;
  const [first, key = first, ...others] = sorted;
  const isOfKey =
    key === first || (key?.column === source.tieBreaker && key.descending === first?.descending);
  const isOfIndex = first?.order === 'whole' && isOfKey && others.length === 0;
  const parts = isFar ? null : partsOfOrder(sorted);
  /** The page's entries are found without its joins: all entries would be joined to find the first in an order. */
  const isJoinedLater = joined !== null && join === '' && !isSortedByJoined;
  /** The keys alone find where the page begins; its rows are read then. */
  const keyedPage = () => {
    const key = decisive === 0 ? (sort[0]?.column ?? source.tieBreaker) : source.tieBreaker;
    const keys = selected(key, query.limit, isSortedByJoined ? whole : counted);
    return sql`SELECT ${raw(source.select)} FROM ${raw(whole)} WHERE ${raw(key)} IN (${keys}) ORDER BY ${orderBy}`;
  };
  const page = sql`LIMIT ${query.limit} OFFSET ${query.offset}`;
  const sortedColumns = sorted.map(({ column }, at) => `${column} AS sorted_${at}`).join(', ');
  const entries = sql`SELECT ${raw(`${source.tieBreaker} AS entry, ${sortedColumns}`)} FROM ${raw(isSortedByJoined ? whole : counted)} ${where}`;
  const pageAmong = (matching: Sql, total = '') => {
    const found = sql`SELECT entry${raw(total)} FROM (${matching}) AS matching ORDER BY ${orderedBy((_column, at) => `sorted_${at}`)} ${page}`;
    return sql`SELECT ${raw(source.select)}${raw(total === '' ? '' : ', list_total')} FROM (${found}) AS found
      JOIN ${raw(table)} ON ${raw(source.tieBreaker)} = found.entry ${raw(joined?.sql ?? '')} ORDER BY ${orderBy}`;
  };
  /** The first of each part: its own index finds them where none has the whole order. */
  const pageOfParts = (parts: readonly OrderPart[]) => {
    const most = query.offset + query.limit;
    const firsts = parts.map(
      ({ condition: ofPart, order }, at) =>
        sql`SELECT * FROM (${entries} AND ${raw(ofPart)} ORDER BY ${raw(order)} LIMIT ${most}) AS ${raw(`part_${at}`)}`,
    );
    return pageAmong(together(firsts, ' UNION ALL '));
  };
  return {
    isSorted: !isOfIndex && parts === null && (first?.order !== 'filtered' || query.filter.op === 'true'),
    isJoined: join !== '',
    pageOfFew: () =>
      pageAmong(sql`${entries} LIMIT ${countedExactly + 1}`, ', count(*) OVER () AS list_total'),
    pageOfSorted: () => pageAmong(sql`${entries} LIMIT ${everyEntry}`),
    pageAmongFirst(most) {
      if (!isOfIndex || isFar) return null;
      const within = condition({ dialect, source, folded: new Map() }, boundsOf(query));
      // Of an order in parts, those with a value: they have an index, and engines would begin with the others.
      const part = raw(first.isOptional ? '1 = 1' : `${first.column} IS NOT NULL`);
      const entries = sql`SELECT ${raw(table)}.* FROM ${raw(table)} WHERE ${inTime} AND ${part} AND ${within} ORDER BY ${orderBy} LIMIT ${most}`;
      return sql`SELECT ${raw(source.select)} FROM (${entries}) AS ${raw(table)} ${raw(joined?.sql ?? '')} WHERE ${matches} ORDER BY ${orderBy} ${page}`;
    },
    count: () =>
      sql`SELECT count(*) AS total FROM (SELECT 1 FROM ${raw(counted)} ${where} LIMIT ${countedExactly + 1}) AS counted`,
    page() {
      if (parts !== null) return pageOfParts(parts);
      return isFar || isJoinedLater ? keyedPage() : selected(source.select, query.limit);
    },
    countOf: (part) =>
      sql`SELECT count(*) AS total FROM ${raw(dialect.sampled(table, part))} ${raw(join)} ${where}`,
    keys: (most) =>
      sql`SELECT ${raw(dialect.jsonArray)}(keyed.entry) AS entries FROM (${selected(`${source.tieBreaker} AS entry`, most)}) AS keyed`,
  };
}

type Sorted = StoredField & { readonly descending: boolean };

function sortOf(source: ListSource, { sort, filter }: ListQuery): readonly Sorted[] {
  return sort.map(({ field, descending }) => {
    const stored = fieldOf(source, field);
    const column = stored.orderedBy ?? stored.column;
    const isParted = stored.order === 'parts' && stored.kind !== 'boolean';
    // All that match are in one part of the order.
    if (isParted && conjunctsOf(filter).some((term) => needsValue(term, field)))
      return { ...stored, column, descending, isOptional: false, order: 'whole' };
    return { ...stored, column, descending };
  });
}

/** The tie-breaker of equal entries: the key, in the direction of the field before it, as indexes have both. */
function ofKey(source: ListSource, sort: readonly Sorted[]): Sorted {
  return { ...fieldOf(source, 'id'), descending: sort.at(-1)?.descending ?? false };
}

/** Engines disagree on where unset values are sorted, unless the query says so. */
function directionOf({ descending, isOptional }: Sorted): string {
  if (!isOptional) return descending ? 'DESC' : 'ASC';
  return descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
}

/** Entries that come before or after all others in an order, and their own order. */
interface OrderPart {
  readonly condition: string;
  readonly order: string;
}

/** Entries with and without a value of the first field, or with a flag set and not set. Null: not read in parts. */
function partsOfOrder([first, ...others]: readonly Sorted[]): readonly OrderPart[] | null {
  if (first === undefined || first.order !== 'parts') return null;
  const order = others.map((field) => `${field.column} ${directionOf(field)}`).join(', ');
  if (first.kind === 'boolean') {
    const isSet = first.condition ?? `${first.column} = 1`;
    return [isSet, `NOT (${isSet})`].map((condition) => ({ condition, order }));
  }
  const own = `${first.column} ${directionOf({ ...first, isOptional: false })}`;
  return [
    { condition: `${first.column} IS NULL`, order },
    { condition: `${first.column} IS NOT NULL`, order: first.isUnique ? own : `${own}, ${order}` },
  ];
}

/** The cost of terms for each entry; 1 is a comparison of a value of the row itself. */
const textsCost = 8;
const inCost = 3;
const joinedCost = 4;
/** The cost of folding a text, once for a field with any number of icontains terms. */
export const foldingCost = 7;

/** How many comparisons a filter makes for each entry that it looks at. */
export function comparisonsOf(source: ListSource, filter: Filter): number {
  const each = termsOf(filter).map(({ op, field }) => {
    const { column, kind } = fieldOf(source, field);
    if (kind === 'texts') return textsCost;
    return (op === 'in' ? inCost : 1) + (column.startsWith(`${source.table}.`) ? 0 : joinedCost);
  });
  const foldings = new Set(foldedFields(source, filter).filter(({ lowerCase }) => lowerCase === null)).size;
  return each.reduce((total, cost) => total + cost, foldings * foldingCost);
}

/** The field of each term that compares texts in lower case. */
function foldedFields(source: ListSource, filter: Filter): readonly StoredField[] {
  return termsOf(filter).flatMap(({ op, field }) => (op === 'icontains' ? [fieldOf(source, field)] : []));
}

function partsOf(filter: Filter): number {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.terms.reduce((total, term) => total + partsOf(term), 1);
    case 'not':
      return 1 + partsOf(filter.term);
    case 'in':
      return 1 + filter.values.length;
    default:
      return 1;
  }
}

/** Whether a filter names a field of a table. */
function names(source: ListSource, table: string, filter: Filter): boolean {
  return termsOf(filter).some(({ field }) => fieldOf(source, field).column.startsWith(`${table}.`));
}

/** Whether a filter names the only entry that it may match. */
export function namesOne(source: ListSource, filter: Filter): boolean {
  return conjunctsOf(filter).some(
    (term) => term.op === '=' && term.value !== null && fieldOf(source, term.field).isUnique,
  );
}

export function fieldOf(source: ListSource, name: string): StoredField {
  const field = Object.hasOwn(source.fields, name) ? source.fields[name] : undefined;
  if (field !== undefined) return field;
  const known = Object.keys(source.fields).sort().join(', ');
  throw new AuthError('invalid_filter', {
    description: `There is no field ${JSON.stringify(name)} here. Known: ${known}`,
  });
}

/** A text that several terms need in lower case is folded once for each entry, after the terms that need none. */
function wholeCondition(dialect: Dialect, source: ListSource, filter: Filter): Sql {
  const fields = foldedFields(source, filter);
  const unindexed = fields.filter(({ lowerCase }) => lowerCase === null);
  const repeated = [...new Set(unindexed.filter((field, at) => unindexed.indexOf(field) < at))];
  const folded = new Map(repeated.map((field, at) => [field, `folded.text_${at}`]));
  const listed = { dialect, source, folded };
  if (folded.size === 0) return condition(listed, filter);
  const { inside = [], outside = [] } = Object.groupBy(conjunctsOf(filter), (term) =>
    foldedFields(source, term).some((field) => folded.has(field)) ? 'inside' : 'outside',
  );
  const all = (terms: readonly Filter[]) => condition(listed, { op: 'and', terms });
  const texts = repeated.map((field, at) => raw(`${lowerCaseOf(dialect, field)} AS text_${at}`));
  // Without LIMIT, PostgreSQL would put the expression in the place of its name.
  return sql`(${all(outside)}) AND (SELECT ${all(inside)} FROM (SELECT ${together(texts)} LIMIT 1) AS folded)`;
}

function lowerCaseOf(dialect: Dialect, { column, lowerCase }: StoredField): string {
  if (lowerCase === column) return column;
  const folded = dialect.lowerCase(column);
  return lowerCase === null ? folded : `coalesce(${lowerCase}, ${folded})`;
}

/** Whether no entry without a value of the field matches. */
function needsValue(term: Filter, name: string): boolean {
  if (!('field' in term) || term.field !== name) return false;
  if (term.op === 'in') return !term.values.includes(null);
  if (term.op === 'contains' || term.op === 'icontains') return true;
  return term.op === '!=' ? term.value === null : term.value !== null;
}

/** The terms that say from where to where in its order a list is. */
function boundsOf({ filter, sort: [first] }: ListQuery): Filter {
  const bounds = conjunctsOf(filter).filter(
    (term) => /^([<>]=?|=)$/.test(term.op) && 'field' in term && term.field === (first?.field ?? 'id'),
  );
  return { op: 'and', terms: bounds };
}

function condition(
  listed: { dialect: Dialect; source: ListSource; folded: ReadonlyMap<StoredField, string> },
  filter: Filter,
): Sql {
  const { dialect, source } = listed;
  switch (filter.op) {
    case 'true':
      return sql`1 = 1`;
    case 'and':
    case 'or': {
      if (filter.terms.length === 0) return filter.op === 'and' ? sql`1 = 1` : sql`1 = 0`;
      const of = filter.op === 'or' ? { ...listed, source: ofOneTable(source, filter) } : listed;
      const terms = filter.terms.map((term) => sql`(${condition(of, term)})`);
      return together(terms, filter.op === 'and' ? ' AND ' : ' OR ');
    }
    case 'not':
      // NOT of an unknown truth value is unknown again, and would exclude the entry.
      return sql`(${condition(listed, filter.term)}) IS NOT TRUE`;
    case 'in':
      return membership(source, filter.field, filter.values);
    case 'contains':
    case 'icontains': {
      const field = fieldOf(source, filter.field);
      if (field.kind === 'texts' && filter.op === 'contains')
        return dialect.hasText(field.column, filter.value);
      if (field.kind !== 'text') throw wrongType(filter.field, field);
      if (filter.op === 'contains') return containing(dialect, field, filter.value);
      const text = listed.folded.get(field) ?? lowerCaseOf(dialect, field);
      return dialect.contains(text, field.fold(filter.value));
    }
    case '=': {
      const field = fieldOf(source, filter.field);
      const equal = comparison(source, filter);
      // A unique field has an index of its own.
      if (typeof filter.value !== 'string' || field.isUnique || !isToldByLowerCase(field, filter.value))
        return equal;
      return sql`${raw(lowerCaseOf(dialect, field))} = ${field.fold(filter.value)} AND ${equal}`;
    }
    default:
      return comparison(source, filter);
  }
}

/**
 * Where an "or" compares the name of an identity or its id, both are compared in the table of identities, whose indexes then
 * find them. No index could find entries by a column of theirs or by one of another table.
 */
function ofOneTable(source: ListSource, filter: Filter): ListSource {
  const { joined, fields } = source;
  const { identityId } = fields;
  if (joined?.isSure !== true || identityId === undefined || !names(source, joined.table, filter))
    return source;
  return { ...source, fields: { ...fields, identityId: { ...identityId, column: `${joined.table}.id` } } };
}

/**
 * The index of trigrams has lower case: where a text is or contains another of ASCII, so do they in lower case. Folded names
 * are composed besides, so that they may lose letters.
 */
function isToldByLowerCase({ lowerCase, fold }: StoredField, text: string): boolean {
  return lowerCase !== null && fold !== foldedName && /^[ -~]*$/.test(text);
}

function containing(dialect: Dialect, field: StoredField, text: string): Sql {
  const exactly = dialect.contains(field.column, text);
  if (!isToldByLowerCase(field, text)) return exactly;
  return sql`${dialect.contains(lowerCaseOf(dialect, field), field.fold(text))} AND ${exactly}`;
}

function membership(source: ListSource, name: string, values: readonly FilterValue[]): Sql {
  const field = fieldOf(source, name);
  const column = raw(field.column);
  const set = values.filter((value) => value !== null).map((value) => stored(field, name, value));
  const isIn = set.length === 0 ? sql`1 = 0` : sql`${column} IN ${among(set)}`;
  return values.includes(null) ? sql`${isIn} OR ${column} IS NULL` : isIn;
}

type Comparison = Extract<Filter, { readonly op: '=' | '!=' | '<' | '<=' | '>' | '>=' }>;

function comparison(source: ListSource, { op, field: name, value }: Comparison): Sql {
  const field = fieldOf(source, name);
  const column = raw(field.column);
  if (value === null) {
    if (op === '=') return sql`${column} IS NULL`;
    if (op === '!=') return sql`${column} IS NOT NULL`;
    throw new AuthError('invalid_filter', { description: 'null can only be compared with = and !=' });
  }
  if (field.condition !== null && (op === '=' || op === '!=')) {
    const isAsked = stored(field, name, value) === (op === '=' ? 1 : 0);
    return sql`${raw(isAsked ? '' : 'NOT ')}${raw(field.condition)}`;
  }
  const exactly = sql`${column} ${raw(op === '!=' ? 'IS DISTINCT FROM' : op)} ${stored(field, name, value)}`;
  if (field.orderedBy === null || op === '!=' || typeof value !== 'string') return exactly;
  const inOrder = sql`${raw(field.orderedBy)} ${raw(op)} ${field.fold(value)}`;
  return op === '=' ? sql`${inOrder} AND ${exactly}` : inOrder;
}

function stored(field: StoredField, name: string, value: string | number | boolean): SqlValue {
  if (field.kind === 'text' && typeof value === 'string') return value;
  if (field.kind === 'boolean' && typeof value === 'boolean') return value ? 1 : 0;
  if (field.kind === 'time' && Number.isSafeInteger(value)) return Number(value);
  if (field.kind === 'time' && typeof value === 'string') {
    const millis = Date.parse(value);
    if (Number.isFinite(millis)) return millis;
  }
  throw wrongType(name, field);
}

const typeNames: Readonly<Record<FieldKind, string>> = {
  text: 'a text',
  texts: 'contains and a text',
  boolean: 'true or false',
  time: 'a time like 2026-01-31T12:00:00Z',
};

function wrongType(name: string, field: StoredField): AuthError {
  return new AuthError('invalid_filter', {
    description: `${name} is compared with ${typeNames[field.kind]}`,
  });
}
