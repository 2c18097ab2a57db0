import { type Millis, SECOND } from '../platform/clock.ts';

/** A value in a filter. */
export type FilterValue = string | number | boolean | null;

/** The common subset of the filter language (design 2.3), parsed; `field` is a name that the entity allows. */
export type Filter =
  | { readonly op: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly op: 'not'; readonly term: Filter }
  | { readonly op: '=' | '!=' | '<' | '<=' | '>' | '>='; readonly field: string; readonly value: FilterValue }
  | { readonly op: 'contains' | 'icontains'; readonly field: string; readonly value: string }
  | { readonly op: 'in'; readonly field: string; readonly values: readonly FilterValue[] }
  | { readonly op: 'true' };

export type Term = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' | 'true' }>;

/** The terms of a filter that name a field. */
export function termsOf(filter: Filter): readonly Term[] {
  switch (filter.op) {
    case 'true':
      return [];
    case 'and':
    case 'or':
      return filter.terms.flatMap(termsOf);
    case 'not':
      return termsOf(filter.term);
    default:
      return [filter];
  }
}

/** Filters all of which must hold. */
export function conjunctsOf(filter: Filter): readonly Filter[] {
  return filter.op === 'and' ? filter.terms.flatMap(conjunctsOf) : [filter];
}

/** The reader who pays for a list, and how much it may cost. `budgetOf` makes one for each kind of reader. */
export interface ListBudget {
  /** The caller whose turn it takes: an identity, or the source of a stranger. */
  readonly payer: string;
  /** Strangers take turns among themselves. */
  readonly isStranger: boolean;
  /** How many comparisons the filter may make: its terms times the entries. A few terms are free. */
  readonly comparisons: number;
  /** How long its statements may take. */
  readonly time: Millis;
}

/** The reader of a list: a caller, or a stranger by the source of the request. */
export type ListReader =
  | { readonly identityId: string; readonly isAdmin: boolean }
  | { readonly source: string; readonly isAdmin: false };

export function budgetOf(reader: ListReader): ListBudget {
  return {
    payer: 'source' in reader ? reader.source : reader.identityId,
    isStranger: 'source' in reader,
    comparisons: 5_000_000,
    time: reader.isAdmin ? 10 * SECOND : 3 * SECOND,
  };
}

/** Where a list of everything goes on: after an entry, or with the entries that have these keys. */
export type ListPart = { readonly after: string } | { readonly keys: readonly string[] };

/** The query of a list operation. */
export interface ListQuery {
  readonly filter: Filter;
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  readonly limit: number;
  readonly offset: number;
  readonly budget: ListBudget;
  /** For a list of everything, which is read page by page: `first`, then the `next` of the page before. */
  readonly part?: 'first' | ListPart;
}

/** The order of a list for which none was requested. An order by id that was requested is not this very value. */
export const noOrder: ListQuery['sort'] = [{ field: 'id', descending: false }];

/** Unless another order was requested. */
export function newestFirst(query: ListQuery): ListQuery {
  return query.sort === noOrder ? { ...query, sort: [{ field: 'id', descending: true }] } : query;
}

/** How many entries a list has. */
export interface ListTotal {
  readonly totalCount: number;
  /** Long lists are not counted to their end: there are then at least so many. */
  readonly totalCountIsEstimate: boolean;
}

/** One page and how many entries there are in all. */
export interface Page<T> extends ListTotal {
  readonly items: readonly T[];
  /** Of a list of everything: where it goes on, if it does. The total counts only the first page then. */
  readonly next?: ListPart | null;
}
