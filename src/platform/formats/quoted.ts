/**
 * A value of another party, for an administrator to read and compare: as JSON in printable ASCII, so that look-alikes
 * and control characters show. Cut in the middle when it is long, because addresses differ at their ends.
 * @param value from JSON; undefined is shown as "nothing"
 * @param longest `shorterThanSecrets` where a caller may have sent a secret in place of the right value
 */
export function quoted(value: unknown, longest = 100): string {
  const text = (JSON.stringify(value) ?? 'nothing').replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const end = Math.floor(longest * 0.4);
  return text.length <= longest ? text : `${text.slice(0, longest - end - 1)}…${text.slice(-end)}`;
}

/** Tokens and secrets of 256 bits have 43 characters and more. */
export const shorterThanSecrets = 40;
