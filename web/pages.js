// Additions of scripts to all pages. Every page works without; parts that need a script are hidden until it runs.

import {
  deviceName,
  hasPasskeys,
  isFoundByName,
  knowsPasskey,
  makePasskey,
  passkeyProblem,
  provePasskey,
  rememberPasskey,
} from './passkey.js';

for (const button of all('[data-shows]')) {
  const input = inputOf(button.dataset.shows);
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'password';
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  });
  // Not stored as text by the browser, and fit for its password manager.
  input.form?.addEventListener('submit', () => {
    input.type = 'password';
  });
}

for (const hint of all('[data-caps-lock]')) {
  const input = inputOf(hint.dataset.capsLock);
  const update = (/** @type {KeyboardEvent} */ event) => {
    hint.hidden = event.getModifierState?.('CapsLock') !== true;
  };
  input.addEventListener('keydown', update);
  input.addEventListener('keyup', update);
  input.addEventListener('blur', () => {
    hint.hidden = true;
  });
}

// As on the account page and in the console: web/parts/keep.tsx.
for (const button of all('[data-copies]')) {
  if (navigator.clipboard === undefined) continue;
  const label = button.textContent;
  const refusal = document.createElement('span');
  refusal.className = 'hint';
  refusal.setAttribute('role', 'status');
  button.after(refusal);
  button.hidden = false;
  button.setAttribute('aria-live', 'polite');
  let timer = 0;
  button.addEventListener('click', async () => {
    clearTimeout(timer);
    const isCopied = await navigator.clipboard.writeText(button.dataset.copies ?? '').then(
      () => true,
      () => false,
    );
    refusal.textContent = isCopied ? '' : (button.dataset.refused ?? '');
    button.textContent = isCopied ? (button.dataset.done ?? '') : label;
    timer = setTimeout(() => {
      button.textContent = label;
    }, 4000);
  });
}

for (const button of all('[data-prints]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}

for (const search of all('[data-searches]')) {
  const list = /** @type {HTMLElement} */ (document.getElementById(search.dataset.searches ?? ''));
  const input = /** @type {HTMLInputElement} */ (search.querySelector('input'));
  const said = /** @type {HTMLElement} */ (search.querySelector('[role=status]'));
  search.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    const holdsAll = (/** @type {HTMLElement} */ item) =>
      words.every((word) => item.innerText.toLowerCase().includes(word));
    for (const group of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('[data-group]'))) {
      group.hidden = false;
      const items = [.../** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll('li'))];
      for (const item of items) item.hidden = false;
      for (const item of items) item.hidden = !holdsAll(item);
      group.hidden = items.every((item) => item.hidden);
    }
    const found = list.querySelectorAll('li:not([hidden])').length;
    const word = found === 1 ? search.dataset.foundOne : search.dataset.found;
    said.textContent = input.value === '' ? '' : `${found} ${word}`;
  });
}

// A second click would submit a form twice. A person who comes back to the page may submit again, and one who has stopped
// loading, of which a page learns nothing: after ten seconds, in which the server would have answered. Another button is
// another answer: the person has thought better of it.
/** @type {Map<HTMLFormElement, string>} */
const sent = new Map();
const allowLater = (/** @type {HTMLFormElement} */ form) => setTimeout(() => sent.delete(form), 10_000);
// Only a page out of the browser's cache remembers what it has sent.
addEventListener('pageshow', ({ persisted }) => persisted && sent.clear());
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    const answer = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value ?? '';
    if (sent.get(form) === answer) event.preventDefault();
    // The person may take their time with a passkey.
    else if (form.dataset.passkey === undefined) allowLater(form);
    sent.set(form, answer);
  });
}

// A passkey, as the first proof, the second one, or a new one. The form sends the authenticator's answer, or why
// there is no answer is said above its button.
for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll('[data-passkey]'))) {
  if (!hasPasskeys()) continue;
  const { passkey: kind, options: address = '' } = form.dataset;
  const waiting = { controller: new AbortController() };
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
  const problem = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'));
  const isNew = kind === 'new';
  // A security key that does not say whose it is needs the user name, and is asked for in turn with all others.
  let isByName = kind === 'first' && isFoundByName();
  const username = () => (kind === 'first' ? inputOf('username').value.trim() : '');
  const prove = async (/** @type {'conditional' | undefined} */ mediation) => {
    waiting.controller.abort();
    waiting.controller = new AbortController();
    const { signal } = waiting.controller;
    const named = isByName && mediation === undefined ? username() : '';
    const of = named === '' ? '' : `&username=${encodeURIComponent(named)}`;
    const options = await optionsAt(address + of, isNew ? form.querySelector('input') : null);
    const how = mediation === undefined ? { signal } : { signal, mediation };
    const answer = await (isNew ? makePasskey(options) : provePasskey(options, how));
    if (kind !== 'second') rememberPasskey(named !== '');
    const response = field('response');
    if (response !== null) response.value = JSON.stringify(answer);
    form.submit();
  };
  form.addEventListener('submit', async (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    problem.hidden = true;
    try {
      await prove(undefined);
      allowLater(form);
    } catch (error) {
      sent.delete(form);
      problem.textContent = form.dataset[passkeyProblem(error)] ?? '';
      problem.hidden = false;
      form.scrollIntoView({ block: 'nearest' });
      isByName = kind === 'first' && !isByName && username() !== '';
      offer();
    }
  });
  /** In the field for the user name. Nothing needs to be said when the browser cannot. */
  const offer = async () => {
    if (kind !== 'first' || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    await prove('conditional').catch(() => undefined);
  };

  for (const text of all('[data-without-passkey]')) text.hidden = true;
  const block = /** @type {HTMLElement} */ (form.closest('[hidden]'));
  block.hidden = false;
  const name = field('name');
  if (name !== null && name.value === '')
    void deviceName().then((device) => {
      name.value ||= device;
    });
  if (kind !== 'first') continue;
  // First where one was used before; otherwise the form for the password comes first.
  const others = document.getElementById('with-password');
  if (others !== null && !knowsPasskey()) {
    others.after(block);
    block.prepend(/** @type {HTMLElement} */ (block.querySelector('.or')));
    form.querySelector('button')?.classList.add('second');
  } else others?.querySelector('#login')?.classList.add('second');
  void offer();
}

/** @param {string} address @param {HTMLInputElement | null} of the login or invitation that a passkey is made in */
async function optionsAt(address, of) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const asked = of === null ? {} : { method: 'POST', body: JSON.stringify({ [of.name]: of.value }) };
  const answer = await fetch(address, { headers, ...asked });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
function all(selector) {
  return document.querySelectorAll(selector);
}

/** @param {string | undefined} id of the input that an element names */
function inputOf(id = '') {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}
