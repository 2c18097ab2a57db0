// Entry of the account page.

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Announcements, announce } from '../parts/announce.tsx';
import { keepFocus } from '../parts/kept-focus.ts';
import { failureText, isOutdated } from './failure.tsx';
import { Gate } from './gate.tsx';
import { begin, notice } from './session.ts';

/** As in the console: the person decides whether to try again. */
const options = { retry: false, networkMode: 'always' } as const;
const queries = new QueryClient({
  defaultOptions: { queries: { ...options, staleTime: 5_000 }, mutations: options },
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({
    onError(error) {
      notice(error);
      if (!isOutdated(error)) return undefined;
      announce(failureText(error));
      return queries.invalidateQueries();
    },
  }),
});

const place = document.getElementById('account');
if (place === null) throw new Error('the page has no place for the account');
void begin();
keepFocus();

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Gate />
      <Announcements />
    </QueryClientProvider>
  </StrictMode>,
);
