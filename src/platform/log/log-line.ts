// A log line: what may be in it, and its form. It is bounded and without secrets. Secrets are recognized by the name of
// their field, and some by their form. That is the last safety net, not a reason to log secrets.

/** Values in addition to the message. Names in camelCase; any value may be passed and is made safe here. */
export type LogFields = Readonly<Record<string, unknown>>;

const redactedText = '[redacted]';
const longestString = 2048;
const mostValues = 200;
const deepestNesting = 6;

const secretName =
  /^code$|(?:password|passwd|passphrase|secret|token|cookie|authorization|authorizationcode|totpcode|recoverycode|codeverifier|codechallenge|assertion|ztsession|privatekey|keypem|seed|credential|jwt)s?$/;

const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic|dpop)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${redactedText}`],
  // Also a JWT that was cut. If its dots were required, every `eyJ` of a long text would be read to the end.
  [/\beyJ[\w-]{6,}(?:\.[\w-]*){0,2}/g, redactedText],
  // Our codes and refresh tokens have this length, see tokens/opaque-token.ts.
  [/(?<![\w-])[\w-]{91}(?![\w-])/g, redactedText],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, redactedText],
  [
    /\b((?:access|refresh|id|subject|actor|setup)_token|id_token_hint|code_verifier|client_secret|password|zt-session)=[^&;\s"]+/gi,
    `$1=${redactedText}`,
  ],
  [/([?&#](?:code|token|t)=)[^&;\s"]+/gi, `$1${redactedText}`],
];

/**
 * After `//` or, in a path, one `/`: all between the first colon and the last `@`, because people also write a password
 * with characters that should be escaped. A port, which a path, a query or nothing follows, is none.
 */
const urlPassword = /(:\/{1,2}[^\s:/?#@[]*:)(?!\d{1,5}(?![^\s/?#"']))(?:[^\s"':]|:(?!\/))*@/g;

/** A text in which `***` stands for the password of each URL, written as it should be or not. */
export function withoutUrlPasswords(text: string): string {
  return text.replace(urlPassword, '$1***@').replace(/(password=)[^&\s"']+/gi, '$1***');
}

/** The fields as they are written: secrets replaced, errors and other objects as plain values, sizes bounded. */
export function loggableFields(fields: LogFields): Record<string, unknown> {
  const budget = { values: mostValues };
  return loggableMembers(fields, 0, budget);
}

/** No secret is in this few characters, unless they contain the beginning of a JWT. */
const plainText = /^(?:[\w.:/-]{0,90}|[\w.@-]{0,90})$/;

/** A text with everything replaced that looks like a secret, cut after 2048 characters. */
export function loggableText(text: string): string {
  if (plainText.test(text) && !text.includes('eyJ')) return text;
  // Cut first, so that a long hostile value costs no more than a short one.
  let safe = withoutUrlPasswords(text.slice(0, longestString));
  for (const [pattern, replacement] of secretTexts) safe = safe.replace(pattern, replacement);
  return text.length > longestString ? `${safe}… (${text.length} characters)` : safe;
}

interface Budget {
  values: number;
}

function loggableMembers(object: object, depth: number, budget: Budget): Record<string, unknown> {
  const safe: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(object)) {
    const value: unknown = (object as LogFields)[name];
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
    if (budget.values <= 0) {
      safe['…'] = 'more was left out';
      break;
    }
    budget.values -= 1;
    const { text, isSecret } = knownName(name);
    safe[text] = isSecret && isRevealing(value) ? redactedText : loggable(value, depth, budget);
  }
  return safe;
}

function loggable(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return loggableText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return loggableError(value, depth, budget);
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : 'no time';
  if (value instanceof URL) return loggableText(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= deepestNesting) return '[deeper]';
  if (value instanceof Map) return loggableMembers(Object.fromEntries(value), depth + 1, budget);
  if (value instanceof Set || Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.values <= 0) {
        items.push('more was left out');
        break;
      }
      budget.values -= 1;
      items.push(loggable(item, depth + 1, budget));
    }
    return items;
  }
  return loggableMembers(value, depth + 1, budget);
}

function loggableError(error: Error, depth: number, budget: Budget): unknown {
  const stack = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return {
    type: error.name,
    message: loggableText(error.message),
    // An error's code is not an authorization code.
    ...('code' in error && isShort(error.code) ? { code: error.code } : {}),
    stack: stack.slice(0, 12).map((line) => loggableText(line.trim())),
    ...(error.cause === undefined || depth >= deepestNesting
      ? {}
      : { cause: loggable(error.cause, depth + 1, budget) }),
  };
}

interface Name {
  /** As written to the log. */
  readonly text: string;
  readonly isSecret: boolean;
}

/** Results for names seen before. Nearly all names come from our code. */
const knownNames = new Map<string, Name>();
const mostKnownNames = 1000;

function knownName(name: string): Name {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isSecret = secretName.test(name.toLowerCase().replaceAll(/[-_ ]/g, ''));
  const fresh = { text: loggableText(name), isSecret };
  if (knownNames.size < mostKnownNames && name.length < 50) knownNames.set(name, fresh);
  return fresh;
}

/** `password: true` says which factor was used, and is needed. */
function isRevealing(value: unknown): boolean {
  return value !== null && typeof value !== 'boolean';
}

function isShort(code: unknown): boolean {
  return typeof code === 'number' || (typeof code === 'string' && code.length <= 64);
}

// The form of a log line: nothing in it can begin a new line, move the cursor or turn the reading direction.

/** The contents of a line. Fields and message are safe to log. */
interface LineParts {
  readonly level: string;
  /** ISO 8601. */
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly msg: string;
}

/** One line of JSON: level, time, the fields, message. */
export function jsonLine({ level, time, fields, msg }: LineParts): string {
  return `${escapeUnseen(JSON.stringify({ level, time, ...fields, msg }))}\n`;
}

/** One line for people: time, level, message, `name=value`… */
export function textLine({ level, time, fields, msg }: LineParts): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${plain(msg)}`;
  for (const name in fields) line += ` ${plain(name)}=${fieldValue(fields[name])}`;
  return `${line}\n`;
}

function fieldValue(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : quoted(value);
  if (isError(value)) {
    const at = value.stack[0]?.replace(/^at /, '');
    return quoted(`${value.type}: ${value.message}${at === undefined ? '' : ` (${at})`}`);
  }
  return escapeUnseen(JSON.stringify(value));
}

function isError(value: unknown): value is { type: string; message: string; stack: string[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'message' in value &&
    'stack' in value &&
    Array.isArray(value.stack)
  );
}

function quoted(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

function plain(text: string): string {
  if (/^[\w.:/@+ -]*$/.test(text)) return text;
  return quoted(text).slice(1, -1).replaceAll('\\"', '"');
}

// Beyond what JSON escapes anyway: DEL and C1 controls (U+009B starts terminal sequences), line and paragraph
// separators, and the marks that reorder displayed text (Unicode TR 36 section 2.5).
const unseenCharacters = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

/**
 * Escapes invisible characters in a piece of JSON, so that it can neither control a terminal nor show text in
 * another order. It still parses to the same values.
 */
export function escapeUnseen(json: string): string {
  return json.replace(unseenCharacters, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
