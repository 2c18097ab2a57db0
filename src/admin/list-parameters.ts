import { AuthError } from '../errors/auth-error.ts';
import type { ListFields } from '../model/list-fields.ts';
import { budgetOf, type ListQuery, type ListReader, noOrder } from '../model/list-query.ts';
import { parseFilter, parseSort } from './filter-language.ts';

/** The query parameters of a list, as received. */
export interface ListParameters {
  readonly filter?: string | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly sort?: string | undefined;
}

const defaultLimit = 10;
export const largestLimit = 500;
const largestOffset = 1_000_000_000;

/**
 * The query of a list operation, at the expense of its reader. Only administrators get a list of any length; for
 * others no limit means the largest one. The filter or separate parameters may contain limit, offset and order. Giving
 * one of them in both places is refused, because either answer could surprise.
 * @throws AuthError invalid_filter, could_not_validate
 */
export function listQuery(parameters: ListParameters, fields: ListFields, reader: ListReader): ListQuery {
  const parsed = parseFilter(parameters.filter ?? '', fields);
  const sort =
    once('sort', { inFilter: parsed.sort, parameter: parameters.sort }, (text) => sortOf(text, fields)) ?? [];
  const limit = once('limit', { inFilter: parsed.limit, parameter: parameters.limit }, limitOf);
  const offset =
    once('offset', { inFilter: parsed.skip, parameter: parameters.offset }, (text) =>
      wholeNumber('offset', text),
    ) ?? 0;
  if (typeof limit === 'number' && limit > largestLimit)
    throw refused('limit', `must be at most ${largestLimit}, or none`, limit);
  if (offset > largestOffset) throw refused('offset', `must be at most ${largestOffset}`, offset);
  return {
    filter: parsed.filter,
    sort: sort.length === 0 ? noOrder : sort,
    limit: limit === undefined ? defaultLimit : (limit ?? largestLimit),
    offset,
    budget: budgetOf(reader),
    ...(limit === null && reader.isAdmin ? { part: 'first' } : {}),
  };
}

function once<T>(
  name: string,
  { inFilter, parameter }: { readonly inFilter: T | undefined; readonly parameter: string | undefined },
  read: (text: string) => T,
): T | undefined {
  if (parameter === undefined || parameter === '') return inFilter;
  if (inFilter !== undefined) throw refused(name, 'is both in the filter and in a parameter', parameter);
  return read(parameter);
}

/** The parameter has the syntax of a filter, and is refused under its own name. */
function sortOf(text: string, fields: ListFields): ListQuery['sort'] {
  try {
    return parseSort(text, fields);
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'invalid_filter') throw error;
    const description = error.description.replace(/^The filter/, 'The sort order');
    throw new AuthError('invalid_filter', { description, cause: error });
  }
}

function limitOf(text: string): number | null {
  return text.toLowerCase() === 'none' ? null : wholeNumber('limit', text);
}

function wholeNumber(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw refused(field, 'must be a whole number', text);
  return Number(text);
}

function refused(field: string, reason: string, value: string | number): AuthError {
  return new AuthError('could_not_validate', {
    fields: [{ field, reason, value: typeof value === 'string' ? value.slice(0, 100) : value }],
  });
}

/** The same list for one identity only; the filter cannot widen it. */
export function ofIdentity(id: string, query: ListQuery): ListQuery {
  const isMine = { op: '=', field: 'identityId', value: id } as const;
  return { ...query, filter: { op: 'and', terms: [isMine, query.filter] } };
}
