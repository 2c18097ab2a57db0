// Text that is HTML. Only `html` turns a string into Html, and it escapes every inserted value.

const brand: unique symbol = Symbol('html');

export interface Html {
  readonly [brand]: true;
  readonly text: string;
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A template whose values are escaped, unless they are already Html. Arrays are joined; null, undefined and false add
 * nothing. Attribute values must be in quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0] ?? '';
  for (let at = 0; at < values.length; at += 1) text += textOf(values[at]) + (parts[at + 1] ?? '');
  return { [brand]: true, text };
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if (isArray(value)) return value.map(textOf).join('');
  // Without the brand it came from outside.
  return value[brand] === true ? value.text : escapeText(String(value));
}

// Array.isArray does not narrow readonly arrays.
function isArray(value: HtmlValue): value is readonly HtmlValue[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
