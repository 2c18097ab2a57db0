// Script of an invitation's page: begins the login of the account page, which submitting the form completes.

import { session } from './session.ts';

const form = document.querySelector<HTMLFormElement>('#choose-password');
let early: SubmitEvent | undefined;

/** Sent before the login has begun, the form would lead to the page for browsers without scripts. */
function hold(event: SubmitEvent): void {
  event.preventDefault();
  // Nor does another script take it for sent.
  event.stopImmediatePropagation();
  early = event;
}

form?.addEventListener('submit', hold, { capture: true });
try {
  const url = await (await session.open()).prepareSignIn({ returnTo: '/account' });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value: url.searchParams.get(name) ?? '' });
    form?.append(input);
  }
} finally {
  form?.removeEventListener('submit', hold, { capture: true });
  if (early !== undefined) form?.requestSubmit(early.submitter);
}
