import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { parseStrictForm } from '../../platform/formats/strict-form.ts';
import { parseStrictJson } from '../../platform/formats/strict-json.ts';

/** Names and values without a prototype; a form field that was sent several times has all its values in order. */
export type Fields = Record<string, unknown>;

// A byte order mark is not skipped, so that the parsers see and refuse it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The members of a JSON object. @throws MalformedInput as the strict parser, not UTF-8, or not an object */
export function jsonFields(bytes: Uint8Array): Fields {
  const value = parseStrictJson(textOf(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedInput('not a JSON object');
  }
  return value as Fields;
}

/** The fields of a form or a query string. @throws MalformedInput as the strict parser, or not UTF-8 */
export function formFields(input: Uint8Array | string): Fields {
  const form = parseStrictForm(typeof input === 'string' ? input : textOf(input));
  const fields: Fields = Object.create(null);
  for (const [name, value] of form.fields) fields[name] = value;
  for (const [name, values] of form.repeated) fields[name] = values;
  return fields;
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new MalformedInput('not UTF-8');
  }
}
