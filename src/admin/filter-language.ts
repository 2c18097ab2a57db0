import type { FieldKind, ListField, ListFields } from '../model/list-fields.ts';
import type { Filter, FilterValue, ListQuery } from '../model/list-query.ts';
import { partOfName } from '../model/names.ts';
import { meantThumbprint } from '../platform/formats/fingerprint.ts';
import { type FilterToken, filterTokens, invalidFilter } from './filter-tokens.ts';

// The common subset of the filter language of such controllers (design 2.3):
//
//   query      = [ filter ] { "sort by" order { "," order } | "skip" N | "limit" ( N | "none" ) }
//   filter     = all { "or" all }
//   all        = term { "and" term }
//   term       = "not" term | "(" filter ")" | "true" | "false" | comparison
//   comparison = field ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
//              | field [ "not" ] ( "contains" | "icontains" ) string
//              | field of several texts [ "not" ] "contains" string, one of them as a whole
//              | field [ "not" ] "in" "[" value { "," value } "]"
//   value      = string | number | "true" | "false" | "null" | "datetime(" RFC 3339 ")"
//
// Words of the language may be upper or lower case; names of fields may not.

/** The contents of a filter. Missing parts are undefined, because query parameters may give them instead. */
export interface ParsedFilter {
  readonly filter: Filter;
  readonly sort: ListQuery['sort'] | undefined;
  /** Null: `limit none`. */
  readonly limit: number | null | undefined;
  readonly skip: number | undefined;
}

const deepestNesting = 20;
const mostTerms = 100;
const mostValues = 200;
const mostSortFields = 5;

const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const;
type Comparison = (typeof comparisons)[number];

const kindNames: Readonly<Record<FieldKind, string>> = {
  text: 'a text in quotation marks',
  texts: 'contains and a text in quotation marks',
  boolean: 'true or false',
  time: 'a time such as datetime(2026-01-31T12:00:00Z)',
};

/**
 * Parses a filter. Empty text means everything.
 * @param fields those that the filter may name
 * @throws AuthError invalid_filter   with the position and what was expected there
 */
export function parseFilter(text: string, fields: ListFields): ParsedFilter {
  // Most lists are requested without a filter.
  if (text === '') return { filter: { op: 'true' }, sort: undefined, limit: undefined, skip: undefined };
  const cursor = cursorOver(filterTokens(text));
  const isOnlyPaging = ['sort', 'skip', 'limit'].some((word) => cursor.isWord(word)) || cursor.isEnd();
  const filter: Filter = isOnlyPaging ? { op: 'true' } : parseAny(cursor, fields, 0);
  return { filter, ...parsePaging(cursor, fields) };
}

/** Sort fields as in `sort by`: `name asc, createdAt desc`. @throws AuthError invalid_filter */
export function parseSort(text: string, fields: ListFields): ListQuery['sort'] {
  const cursor = cursorOver(filterTokens(text));
  const sort = parseOrders(cursor, fields);
  if (!cursor.isEnd()) throw cursor.expected('a comma or the end');
  return sort;
}

type Cursor = ReturnType<typeof cursorOver>;

function cursorOver(tokens: readonly FilterToken[]) {
  let index = 0;
  let terms = 0;
  const end: FilterToken = { kind: 'end', at: 0 };
  const current = () => tokens[index] ?? tokens.at(-1) ?? end;
  const expected = (what: string) => invalidFilter(current().at, what);
  const is = (kind: 'word' | 'symbol', text: string) => {
    const token = current();
    return token.kind === kind && token.text.toLowerCase() === text;
  };
  const skip = (kind: 'word' | 'symbol', text: string) => {
    const isNext = is(kind, text);
    if (isNext) index += 1;
    return isNext;
  };
  return {
    get token() {
      return current();
    },
    advance() {
      index += 1;
    },
    isEnd: () => current().kind === 'end',
    isWord: (word: string) => is('word', word),
    /** Consumes the word or symbol if it comes next. */
    skipWord: (word: string) => skip('word', word),
    skipSymbol: (symbol: string) => skip('symbol', symbol),
    /** Counts a term towards the limit. */
    countTerm() {
      terms += 1;
      if (terms > mostTerms) throw expected(`the end, after at most ${mostTerms} comparisons`);
    },
    expected,
  };
}

function parseAny(cursor: Cursor, fields: ListFields, depth: number): Filter {
  const terms = [parseAll(cursor, fields, depth)];
  while (cursor.skipWord('or')) terms.push(parseAll(cursor, fields, depth));
  return joined('or', terms);
}

function parseAll(cursor: Cursor, fields: ListFields, depth: number): Filter {
  const terms = [parseTerm(cursor, fields, depth)];
  while (cursor.skipWord('and')) terms.push(parseTerm(cursor, fields, depth));
  return joined('and', terms);
}

function joined(op: 'and' | 'or', terms: readonly Filter[]): Filter {
  const [first] = terms;
  return terms.length === 1 && first !== undefined ? first : { op, terms };
}

function parseTerm(cursor: Cursor, fields: ListFields, depth: number): Filter {
  cursor.countTerm();
  // The parser, and each function that walks its result, recurse once per level.
  if (depth > deepestNesting) throw cursor.expected(`at most ${deepestNesting} levels of nesting`);
  if (cursor.skipWord('not')) return { op: 'not', term: parseTerm(cursor, fields, depth + 1) };
  if (cursor.skipSymbol('(')) {
    const filter = parseAny(cursor, fields, depth + 1);
    if (!cursor.skipSymbol(')')) throw cursor.expected('and, or, or a closing parenthesis');
    return filter;
  }
  if (cursor.skipWord('true')) return { op: 'true' };
  if (cursor.skipWord('false')) return { op: 'not', term: { op: 'true' } };
  return parseComparison(cursor, fields);
}

function parseComparison(cursor: Cursor, fields: ListFields): Filter {
  const listField = parseField(cursor, fields);
  const { field } = listField;
  if (listField.kind !== 'texts') {
    const comparison = comparisons.find((symbol) => cursor.skipSymbol(symbol));
    if (comparison !== undefined)
      return { op: comparison, field, value: parseValue(cursor, listField, comparison) };
  }
  const isNegated = cursor.skipWord('not');
  const filter = parseWordComparison(cursor, listField);
  return isNegated ? { op: 'not', term: filter } : filter;
}

function parseWordComparison(cursor: Cursor, listField: ListField): Filter {
  const { field } = listField;
  if (listField.kind === 'texts') {
    if (!cursor.skipWord('contains')) throw cursor.expected('"contains", because this field is a list');
    return { op: 'contains', field, value: parseText(cursor, listField) };
  }
  if (cursor.skipWord('in')) return { op: 'in', field, values: parseValues(cursor, listField) };
  if (listField.kind === 'text') {
    for (const op of ['contains', 'icontains'] as const)
      if (cursor.skipWord(op)) return { op, field, value: parseText(cursor, listField) };
    throw cursor.expected('one of = != < <= > >= contains icontains in');
  }
  throw cursor.expected('one of = != < <= > >= in');
}

function parseText(cursor: Cursor, { isName = false }: ListField): string {
  const { token } = cursor;
  if (token.kind !== 'string') throw cursor.expected(kindNames.text);
  cursor.advance();
  return isName ? partOfName(token.value) : token.value;
}

function parseField(cursor: Cursor, fields: ListFields): ListField {
  const { token } = cursor;
  const field = token.kind === 'word' ? fields.get(token.text) : undefined;
  if (field === undefined) throw cursor.expected(`one of the fields ${[...fields.keys()].join(', ')}`);
  cursor.advance();
  return field;
}

function parseValues(cursor: Cursor, listField: ListField): FilterValue[] {
  if (!cursor.skipSymbol('[')) throw cursor.expected('a list in square brackets');
  const values = [parseValue(cursor, listField, 'in')];
  while (cursor.skipSymbol(',')) {
    if (values.length === mostValues)
      throw cursor.expected(`the end of the list, after ${mostValues} values`);
    values.push(parseValue(cursor, listField, 'in'));
  }
  if (!cursor.skipSymbol(']')) throw cursor.expected('a comma or a closing bracket');
  return values;
}

function parseValue(cursor: Cursor, listField: ListField, op: Comparison | 'in'): FilterValue {
  const { kind, nullable, isFingerprint = false } = listField;
  const isEquality = op === '=' || op === '!=';
  const { token } = cursor;
  if (cursor.isWord('null') && nullable && isEquality) {
    cursor.advance();
    return null;
  }
  if (kind === 'text' && token.kind === 'string') {
    const value = parseText(cursor, listField);
    return isFingerprint ? meantThumbprint(value) : value;
  }
  if (kind === 'time' && token.kind === 'time') {
    cursor.advance();
    return token.value;
  }
  if (kind === 'boolean' && (isEquality || op === 'in')) {
    if (cursor.skipWord('true')) return true;
    if (cursor.skipWord('false')) return false;
  }
  if (kind === 'boolean' && !isEquality && op !== 'in') throw cursor.expected('a field that has an order');
  throw cursor.expected(nullable && isEquality ? `${kindNames[kind]}, or null` : kindNames[kind]);
}

function parsePaging(cursor: Cursor, fields: ListFields): Omit<ParsedFilter, 'filter'> {
  let sort: ListQuery['sort'] | undefined;
  let limit: number | null | undefined;
  let skip: number | undefined;
  while (!cursor.isEnd()) {
    if (sort === undefined && cursor.skipWord('sort')) {
      if (!cursor.skipWord('by')) throw cursor.expected('by');
      sort = parseOrders(cursor, fields);
    } else if (skip === undefined && cursor.skipWord('skip')) skip = parseCount(cursor);
    else if (limit === undefined && cursor.skipWord('limit')) {
      limit = cursor.skipWord('none') ? null : parseCount(cursor);
    } else throw cursor.expected('and, or, sort by, skip, limit, each at most once, or the end');
  }
  return { sort, limit, skip };
}

function parseOrders(cursor: Cursor, fields: ListFields): ListQuery['sort'] {
  const sort: { field: string; descending: boolean }[] = [];
  do {
    if (sort.length === mostSortFields) throw cursor.expected(`at most ${mostSortFields} fields`);
    const { field } = parseField(cursor, fields);
    const descending = cursor.skipWord('desc');
    if (!descending) cursor.skipWord('asc');
    sort.push({ field, descending });
  } while (cursor.skipSymbol(','));
  return sort;
}

function parseCount(cursor: Cursor): number {
  const { token } = cursor;
  if (token.kind !== 'number' || !Number.isSafeInteger(token.value) || token.value < 0)
    throw cursor.expected('a whole number');
  cursor.advance();
  return token.value;
}
