// Elements, forms and what is announced. Text only ever becomes text: nothing here reads HTML.

import { Refusal } from './api.js';
import { texts } from './texts.js';

/**
 * Makes an element. Attributes that are functions listen to the event of their name; false and null leave out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(attribute, value);
    else if (value === true) made.setAttribute(attribute, '');
    else if (value !== false && value !== null) made.setAttribute(attribute, value);
  }
  for (const child of children) if (child !== null && child !== false) made.append(child);
  return made;
}

/** What is said there is announced. */
export function statusRegion() {
  return /** @type {HTMLElement} */ (document.getElementById('status'));
}

/** Says something to those who listen, and shows it to those who look. */
export function announce(text) {
  const region = statusRegion();
  // Cleared first: the same words twice would otherwise be silent the second time.
  region.textContent = '';
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

/**
 * What runs when it turns out that nothing can be done here any more, whatever the control was for; set by main.js.
 * It returns whether it knows the error.
 * @type {(error: unknown) => boolean}
 */
let whenOver = () => false;
export function onOver(listener) {
  whenOver = listener;
}

/** A button that does something; a failure is shown beside it. */
export function button(label, action, attributes = {}) {
  const alert = alertBox();
  const made = element(
    'button',
    { type: 'button', ...attributes, click: () => guarded(made, alert, action, failureText) },
    label,
  );
  return element('div', { class: 'action' }, made, alert);
}

/**
 * A form. `explain` turns a refusal into the field that has the fault, if any, and a text.
 * @param {{ id: string, fields: Node[], submit: string, others?: Node[],
 *   action: (values: FormData, form: HTMLFormElement) => Promise<void>,
 *   explain?: (refusal: Refusal, values: FormData) => { field?: string, text: string | Node } | null }} form
 */
export function form({ id, fields, submit, others = [], action, explain = () => null }) {
  const alert = alertBox(`${id}-failure`);
  const send = element('button', { type: 'submit', id: `${id}-submit` }, submit);
  const made = element('form', { id }, alert, ...fields, element('p', { class: 'buttons' }, send, ...others));
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    for (const input of made.elements) {
      input.removeAttribute('aria-invalid');
    }
    const values = new FormData(made);
    guarded(
      send,
      alert,
      () => action(values, made),
      (error) => {
        const known = error instanceof Refusal ? explain(error, values) : null;
        if (known === null) return failureText(error);
        const input = known.field === undefined ? null : made.elements.namedItem(known.field);
        if (input instanceof HTMLInputElement) {
          input.setAttribute('aria-invalid', 'true');
          input.setAttribute('aria-describedby', alert.id);
          input.focus();
        }
        return known.text;
      },
    );
  });
  return made;
}

/** A labelled input. */
export function field(label, attributes, hint) {
  const id = attributes.id;
  const hintId = hint === undefined ? null : `${id}-hint`;
  return element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    element('input', { name: id, required: true, 'aria-describedby': hintId, ...attributes }),
    hintId !== null && element('span', { id: hintId, class: 'hint' }, hint),
  );
}

/** A code of the app, or a recovery code. `codeIn` reads it. */
export function codeField(id, label) {
  const attributes = { id, name: 'code', autocomplete: 'one-time-code', spellcheck: 'false' };
  return field(label, { ...attributes, autocapitalize: 'characters' });
}

/** @param {FormData} values of a form with a `codeField` */
export function codeIn(values) {
  return String(values.get('code') ?? '').trim();
}

export function wrongCode(refusal) {
  if (refusal.code !== 'INVALID_TOTP_CODE') return null;
  return { field: 'code', text: texts.wrongCode };
}

/** The words for a failure that nobody foresaw. */
export function failureText(error) {
  if (!(error instanceof Refusal)) return texts.unreachable;
  if (error.status === 429) return texts.tooMany(error.reference);
  return error.status === 503 ? texts.busy(error.reference) : texts.failed(error.reference);
}

/** @param {string | null} id */
function alertBox(id = null) {
  return element('div', { id, class: 'failure', role: 'alert', hidden: true });
}

/** Runs an action once at a time; what fails is shown in the box. */
async function guarded(control, alert, action, explain) {
  if (control.getAttribute('aria-busy') === 'true') return;
  control.setAttribute('aria-busy', 'true');
  alert.hidden = true;
  alert.replaceChildren();
  try {
    await action();
  } catch (error) {
    if (whenOver(error)) return;
    alert.hidden = false;
    alert.append(explain(error));
  } finally {
    control.removeAttribute('aria-busy');
  }
}
