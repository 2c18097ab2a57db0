// Parses UTF-8, JSON and forms from strangers. Of several members with one name, JSON.parse takes the last, where another parser of the
// same bytes takes the first; it recurses without limit; it accepts numbers out of range and strings that have no
// UTF-8. This parser does none of that, and hostile input takes it no longer.

/** Input that breaks the rules of its format. `reason` is short, contains nothing from the input, and may be shown. */
export class MalformedInput extends Error {
  override readonly name = 'MalformedInput';
  get reason(): string {
    return this.message;
  }
}

export interface JsonLimits {
  /** Nesting of arrays and objects. Default 64. */
  readonly maxDepth?: number;
  /** Members of all objects together. Default 1000. */
  readonly maxKeys?: number;
  /** Characters of one member name. Default 256. */
  readonly maxNameLength?: number;
  /** Characters of one number. Default 40. */
  readonly maxNumberLength?: number;
}

/**
 * Parses one JSON text. Objects have no prototype. The caller bounds the length of the text.
 * @throws MalformedInput not JSON, a member name twice or `__proto__`, a number out of range, U+0000 outside a password, a lone
 *                        surrogate in a string, a byte order mark, or beyond a limit
 * @see RFC 8259, section 4 for names; RFC 7493 section 2 for the other refusals
 */
export function parseStrictJson(text: string, limits: JsonLimits = {}): unknown {
  if (!text.isWellFormed()) throw new MalformedInput('lone surrogate');
  const reader: Reader = {
    text,
    at: 0,
    depthLeft: limits.maxDepth ?? 64,
    keysLeft: limits.maxKeys ?? 1000,
    maxNameLength: limits.maxNameLength ?? 256,
    maxNumberLength: limits.maxNumberLength ?? 40,
    isPassword: false,
  };
  const value = readValue(reader);
  skipWhiteSpace(reader);
  if (reader.at < text.length) throw new MalformedInput('text after the JSON value');
  return value;
}

interface Reader {
  readonly text: string;
  at: number;
  depthLeft: number;
  keysLeft: number;
  readonly maxNameLength: number;
  readonly maxNumberLength: number;
  /** The value that is read. */
  isPassword: boolean;
}

/**
 * Whether a field has the one kind of text in which U+0000 is taken: hashes of another program may be of such a password.
 * It is compared and never stored.
 */
function isPasswordField(name: string): boolean {
  return name === 'password';
}

const literals: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

function readValue(reader: Reader): unknown {
  skipWhiteSpace(reader);
  const char = reader.text[reader.at];
  if (char === '"') return readString(reader);
  if (char === '{') return readNested(reader, readObject);
  if (char === '[') return readNested(reader, readArray);
  for (const [word, value] of literals) {
    if (!reader.text.startsWith(word, reader.at)) continue;
    reader.at += word.length;
    return value;
  }
  return readNumber(reader);
}

function readNested<T>(reader: Reader, read: (reader: Reader) => T): T {
  if (reader.depthLeft === 0) throw new MalformedInput('nested too deeply');
  reader.depthLeft -= 1;
  reader.at += 1;
  const value = read(reader);
  reader.depthLeft += 1;
  return value;
}

function readObject(reader: Reader): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  if (takes(reader, '}')) return object;
  do {
    const name = readName(reader);
    if (Object.hasOwn(object, name)) throw new MalformedInput('member name twice');
    reader.isPassword = isPasswordField(name);
    object[name] = readValue(reader);
    reader.isPassword = false;
  } while (takes(reader, ','));
  expect(reader, '}');
  return object;
}

function readName(reader: Reader): string {
  if (reader.keysLeft === 0) throw new MalformedInput('too many members');
  reader.keysLeft -= 1;
  skipWhiteSpace(reader);
  const name = readString(reader);
  if (name.length > reader.maxNameLength) throw new MalformedInput('member name too long');
  // Harmless here, but not for code that copies the members to an ordinary object.
  if (name === '__proto__') throw new MalformedInput('member name not allowed');
  expect(reader, ':');
  return name;
}

function readArray(reader: Reader): unknown[] {
  const array: unknown[] = [];
  if (takes(reader, ']')) return array;
  do array.push(readValue(reader));
  while (takes(reader, ','));
  expect(reader, ']');
  return array;
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

function readNumber(reader: Reader): number {
  numberPattern.lastIndex = reader.at;
  const digits = numberPattern.exec(reader.text)?.[0];
  if (digits === undefined) throw new MalformedInput('not JSON');
  if (digits.length > reader.maxNumberLength) throw new MalformedInput('number too long');
  const number = Number(digits);
  if (!Number.isFinite(number)) throw new MalformedInput('number out of range');
  reader.at += digits.length;
  return number;
}

// Ordinary characters: everything except quotes, backslashes and U+0000 to U+001F. (JSON allows the other control
// characters, U+007F to U+009F, in strings.)
const ordinaryCharacters = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy;

function readString(reader: Reader): string {
  const { text } = reader;
  if (text[reader.at] !== '"') throw new MalformedInput('not JSON');
  reader.at += 1;
  let value = '';
  for (;;) {
    ordinaryCharacters.lastIndex = reader.at;
    const run = ordinaryCharacters.exec(text)?.[0];
    if (run !== undefined) {
      value += run;
      reader.at += run.length;
    } else if (text[reader.at] === '\\') {
      value += readEscape(reader);
    } else {
      break;
    }
  }
  if (text[reader.at] !== '"') throw new MalformedInput('string not ended, or with a control character');
  reader.at += 1;
  if (value.includes('\0') && !reader.isPassword) throw new MalformedInput('U+0000 in a string');
  if (!value.isWellFormed()) throw new MalformedInput('lone surrogate');
  return value;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function readEscape(reader: Reader): string {
  const char = reader.text[reader.at + 1] ?? '';
  const simple = escapes.get(char);
  if (simple !== undefined) {
    reader.at += 2;
    return simple;
  }
  const hex = reader.text.slice(reader.at + 2, reader.at + 6);
  if (char !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(hex)) throw new MalformedInput('unknown escape in a string');
  reader.at += 6;
  return String.fromCharCode(Number.parseInt(hex, 16));
}

const whiteSpace = /[ \t\n\r]*/y;

function skipWhiteSpace(reader: Reader): void {
  whiteSpace.lastIndex = reader.at;
  reader.at += whiteSpace.exec(reader.text)?.[0].length ?? 0;
}

function takes(reader: Reader, char: string): boolean {
  skipWhiteSpace(reader);
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}

function expect(reader: Reader, char: string): void {
  if (!takes(reader, char)) throw new MalformedInput('not JSON');
}

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

// ignoreBOM keeps a byte order mark as a character, which the parsers then refuse.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws MalformedInput invalid, overlong or truncated UTF-8, or encoded surrogates */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedInput('not UTF-8');
  }
}

/**
 * The text of a file that a person has written, without a byte order mark. Reading another encoding with replacement
 * characters would make, for example, a password that cannot be typed.
 * @param linesBefore how many lines of the file come before those bytes
 * @throws MalformedInput it is in another encoding; names the line
 */
export function textOfFile(bytes: Uint8Array, linesBefore = 0): string {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || isUnmarkedUtf16(bytes))
    throw new MalformedInput('it is in UTF-16, not in UTF-8: save it as UTF-8');
  if (first === 0x30 && second !== undefined && second >= 0x80)
    throw new MalformedInput('it is binary (DER or PKCS #12), not text: convert it to PEM with openssl');
  try {
    return decodeUtf8(bytes).replace(/^\ufeff/, '');
  } catch {
    const line = linesBefore + lineOfFault(bytes);
    throw new MalformedInput(`line ${line} is not in UTF-8: save the file as UTF-8`);
  }
}

/** Text that begins with ASCII, two bytes for each character. */
function isUnmarkedUtf16([first, second, third, fourth]: Uint8Array): boolean {
  const isZero = [first, second, third, fourth].map((byte) => byte === 0).join();
  return isZero === 'false,true,false,true' || isZero === 'true,false,true,false';
}

function lineOfFault(bytes: Uint8Array): number {
  const lossy = new TextDecoder('utf-8').decode(bytes);
  return lossy.slice(0, lossy.indexOf('\ufffd')).split('\n').length;
}
