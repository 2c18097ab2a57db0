// How a log line looks: nothing in it can begin a new line, move the cursor or turn the reading direction.

// Beyond what JSON escapes anyway: DEL and C1 controls (U+009B starts terminal sequences), line and paragraph
// separators, and the marks that reorder what is shown (Unicode TR 36 section 2.5).
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

/** Escapes, in a line of JSON, what JSON itself would let through. The line still parses to the same values. */
export function escapeUnseen(json: string): string {
  return json.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One line for people out of a log line in JSON: time, level, message, `name=value`… */
export function textLine(jsonLine: string): string {
  const { time, level, msg, ...fields } = JSON.parse(jsonLine) as Record<string, unknown>;
  const parts = [String(time), String(level).toUpperCase().padEnd(5), plain(String(msg))];
  for (const [name, value] of Object.entries(fields)) parts.push(`${plain(name)}=${fieldValue(value)}`);
  return `${parts.join(' ')}\n`;
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
  return quoted(text).slice(1, -1).replaceAll('\\"', '"');
}
