import { QueryClient } from '@tanstack/react-query';

/**
 * What was read, for as long as it is shown. A failure shows at once, with a button: the person decides, and a
 * struggling server gets no automatic second call from everybody.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});
