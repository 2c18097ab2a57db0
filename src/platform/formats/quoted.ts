/**
 * A value of another party, for an administrator to read and compare: as JSON in printable ASCII, so that look-alikes
 * and control characters show. Cut in the middle when it is long, because addresses differ at their ends.
 * @param value from JSON; undefined is shown as "nothing"
 */
export function quoted(value: unknown): string {
  const text = (JSON.stringify(value) ?? 'nothing').replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= longest ? text : `${text.slice(0, longest - kept - 1)}…${text.slice(-kept)}`;
}

const longest = 100;
/** Of the end of a long text. */
const kept = 40;
