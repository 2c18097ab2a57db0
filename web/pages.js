// What scripts add to the login pages. Every page works without; what needs a script is hidden until it runs.

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

// A second click would submit a form twice; whoever comes back to the page may submit again.
for (const form of document.forms) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  addEventListener('pageshow', () => {
    isSent = false;
  });
}

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
function all(selector) {
  return document.querySelectorAll(selector);
}

/** @param {string | undefined} id of the input that an element names */
function inputOf(id = '') {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}
