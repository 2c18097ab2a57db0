// How a log line looks: nothing in it can begin a new line, move the cursor or turn the reading direction.

// Beyond what JSON escapes anyway: DEL and C1 controls (U+009B starts terminal sequences), line and paragraph
// separators, and the marks that reorder what is shown (Unicode TR 36 section 2.5).
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

/** What a line says. Fields and message are safe to log (see log-fields.ts). */
export interface LineParts {
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

/** Escapes, in a piece of JSON, what JSON itself would let through. It still parses to the same values. */
function escapeUnseen(json: string): string {
  return json.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
