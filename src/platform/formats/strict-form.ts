import { MalformedInput } from './malformed-input.ts';
import { isPasswordField } from './strict-json.ts';

/**
 * Decoded names and values, without a prototype; of a repeated name every value, in order. Most parameters must not be
 * repeated.
 */
export type Form = Readonly<Record<string, string | readonly string[]>>;

/**
 * Reads a query string (without its question mark) or a body of application/x-www-form-urlencoded. Names and
 * values are decoded exactly once, so that "%2561" is "%61". The caller bounds the length of the text.
 * @param limits.maxFields default 100
 * @throws MalformedInput too many fields; escapes that are cut, or not UTF-8; U+0000 outside a password; a byte order mark
 * @see RFC 6749 appendix B, and section 3.1 for repeated parameters
 */
export function parseStrictForm(text: string, limits: { maxFields?: number } = {}): Form {
  const maxFields = limits.maxFields ?? 100;
  if (!text.isWellFormed()) throw new MalformedInput('lone surrogate');
  if (text.startsWith('\ufeff')) throw new MalformedInput('byte order mark');
  const form: Record<string, string | string[]> = Object.create(null);
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const ampersand = text.indexOf('&', at);
    const end = ampersand === -1 ? text.length : ampersand;
    // Empty fields, as in "a=1&&b=2", do not count; the length of the text bounds their number.
    if (end > at) {
      count += 1;
      if (count > maxFields) throw new MalformedInput('too many fields');
      const [name, value] = decodeField(text.slice(at, end));
      const before = form[name];
      if (before === undefined) form[name] = value;
      else if (typeof before === 'string') form[name] = [before, value];
      else before.push(value);
    }
    at = end + 1;
  }
  return form;
}

function decodeField(field: string): [name: string, value: string] {
  const equals = field.indexOf('=');
  if (equals === -1) return [decode(field), ''];
  const name = decode(field.slice(0, equals));
  return [name, decode(field.slice(equals + 1), isPasswordField(name))];
}

function decode(encoded: string, takesNul = false): string {
  const text = decodePercent(encoded.replaceAll('+', ' '));
  if (text.includes('\0') && !takesNul) throw new MalformedInput('U+0000 in a field');
  return text;
}

function decodePercent(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    throw new MalformedInput('broken percent-encoding');
  }
}
