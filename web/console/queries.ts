import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query';
import { type ListQuery, list, type Page, read } from './session/api.ts';

/**
 * Query results, for as long as they are shown. A failure shows at once, with a button: the person decides, and a
 * struggling server gets no automatic second call from every browser.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** After a change: everything on the screen is read again. */
export async function refresh(): Promise<void> {
  await queries.invalidateQueries();
}

interface Options {
  /** How often to read again, in milliseconds. */
  readonly refetchInterval?: number | false;
  readonly staleTime?: number;
  readonly enabled?: boolean;
}

// The key of a query is its request, so that parts of a screen which ask the same share the answer.

/** A document. */
export function useRead<Document>(path: string, options: Options = {}) {
  return useQuery({
    queryKey: ['read', path],
    queryFn: ({ signal }) => read<Document>(path, signal),
    ...options,
  });
}

/** One page of a list. @param isKept whether the page before stays meanwhile */
export function useList<Item>(
  path: string,
  {
    isKept = false,
    options = {},
    ...query
  }: ListQuery & { readonly isKept?: boolean; readonly options?: Options } = {},
) {
  return useQuery<Page<Item>>({
    queryKey: ['list', path, query],
    queryFn: ({ signal }) => list<Item>(path, query, signal),
    placeholderData: isKept ? keepPreviousData : undefined,
    ...options,
  });
}
