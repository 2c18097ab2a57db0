import { MalformedInput } from '../platform/malformed-input.ts';

/** Names and values without a prototype; a name that was sent several times has all its values in order. */
export type Fields = Record<string, unknown>;

export function jsonFields(bytes: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new MalformedInput('not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedInput('not a JSON object');
  }
  return Object.assign(Object.create(null), value);
}

export function formFields(input: Uint8Array | string): Fields {
  const text = typeof input === 'string' ? input : Buffer.from(input).toString('utf8');
  const fields: Fields = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else fields[name] = [before, value];
  }
  return fields;
}
