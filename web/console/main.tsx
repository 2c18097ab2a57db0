// Entry of the console: begins the session, then shows the screen that the address names.

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './queries.ts';
import { router } from './router.tsx';
import { SessionGate } from './session/session-gate.tsx';

const place = document.getElementById('console');
if (place === null) throw new Error('the page has no place for the console');

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  </StrictMode>,
);
