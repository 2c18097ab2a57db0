// Script of an invitation's page: begins the login of the account page, which submitting the form completes.

import { session } from './session.ts';

const form = document.querySelector('#choose-password');
const url = await (await session()).prepareSignIn({ returnTo: '/account' });
for (const name of ['state', 'nonce', 'code_challenge']) {
  const input = document.createElement('input');
  Object.assign(input, { type: 'hidden', name, value: url.searchParams.get(name) ?? '' });
  form?.append(input);
}
