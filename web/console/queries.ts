import { QueryClient } from '@tanstack/react-query';

/**
 * What was read, for as long as it is shown. A failure is shown at once, with a button: whoever looks decides, and a
 * server in trouble gets no second call from everybody.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});
