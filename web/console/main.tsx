// Entry of the console: begins the session, then shows the screen for the address.

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Alone } from '../parts/alone.tsx';
import { keepFocus } from '../parts/kept-focus.ts';
import { queries } from './queries.ts';
import { router } from './router.tsx';
import { handOverTest } from './screens/signers/test-window.ts';
import { SessionGate } from './session/session-gate.tsx';
import { texts } from './texts/texts.ts';

const place = document.getElementById('console');
if (place === null) throw new Error('the page has no place for the console');

keepFocus();
const isOfTest = handOverTest();
createRoot(place).render(
  <StrictMode>
    {isOfTest ? (
      <Alone title={texts.session.testedTitle}>
        <p>{texts.session.testedText}</p>
      </Alone>
    ) : (
      <QueryClientProvider client={queries}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    )}
  </StrictMode>,
);
