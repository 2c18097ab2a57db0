// Of the page behind an invitation: begins the login of the account page, which the answer to the form finishes.

import { beginLogin } from './oidc.js';

const form = /** @type {HTMLFormElement} */ (document.querySelector('#choose-password'));
const { state, nonce, challenge } = await beginLogin();
for (const [name, value] of Object.entries({ state, nonce, code_challenge: challenge })) {
  const input = document.createElement('input');
  Object.assign(input, { type: 'hidden', name, value });
  form.append(input);
}
