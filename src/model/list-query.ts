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

/** What a list operation asks for. */
export interface ListQuery {
  readonly filter: Filter;
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** Null means no limit. */
  readonly limit: number | null;
  readonly offset: number;
}

/** How many entries a list has. */
export interface ListTotal {
  readonly totalCount: number;
  /** Long lists are not counted to their end; the number is then an estimate above what was counted. */
  readonly totalCountIsEstimate: boolean;
}

/** One page and how many entries there are in all. */
export interface Page<T> extends ListTotal {
  readonly items: readonly T[];
}
