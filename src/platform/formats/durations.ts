import type { Millis } from '../time-units.ts';

/** An unreadable duration; the message is a plain sentence without a final full stop. */
export class DurationError extends Error {
  override name = 'DurationError';
}

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // Two code points look the same and are both in use: U+00B5 (micro sign) and U+03BC (Greek mu).
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};
const nanosPerMilli = 1_000_000n;
/** The range of the notation, about 292 years: a signed 64-bit count of nanoseconds. */
const mostNanos = 2n ** 63n - 1n;
const longestText = 64;
const termPattern = /(?=\.?\d)(\d*)(?:\.(\d*))?([a-z\u00b5\u03bc]+)/y;

/**
 * Reads a duration in Go's notation and in days of 24 hours: decimal numbers, each with a unit (`ns us ms s m h d`),
 * written together: `1h30m`, `500ms`, `1.5h`, `.5h`, `7d`; a sign `+` may precede them, and a bare `0` is zero. Computed in whole nanoseconds, so `0.1s` is exactly 100 ms.
 * @throws DurationError also for durations that the notation allows but no setting can use: a negative one, or a
 *   fraction of a millisecond
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): Millis {
  const unsigned = text.replace(/^\+/, '');
  if (unsigned === '0') return 0;
  const shown = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  const refuse = (why: string) => new DurationError(`"${shown}" is not a duration: ${why}`);
  if (unsigned === '') throw refuse('it is empty; write for example 30m, 24h or 7d');
  if (text.length > longestText) throw refuse('it is too long');
  if (/^-/.test(text)) throw refuse('it must not be negative');
  if (/^\d+(\.\d+)?$/.test(unsigned))
    throw refuse(`the unit is missing; write for example ${unsigned}s, ${unsigned}m or ${unsigned}d`);

  let nanos = 0n;
  termPattern.lastIndex = 0;
  for (let at = 0; at < unsigned.length; at = termPattern.lastIndex) {
    const term = termPattern.exec(unsigned);
    if (term === null) throw refuse('write numbers with units d, h, m, s or ms, for example 30m, 24h or 7d');
    const [, whole = '', fraction = '', unit = ''] = term;
    const perUnit = Object.hasOwn(nanosPerUnit, unit) ? nanosPerUnit[unit] : undefined;
    if (perUnit === undefined) throw refuse(`"${unit}" is not a unit; the units are d, h, m, s and ms`);
    const scaled = BigInt(whole + fraction) * perUnit;
    const divisor = 10n ** BigInt(fraction.length);
    if (scaled % divisor !== 0n) throw refuse('it is finer than a millisecond');
    nanos += scaled / divisor;
    if (nanos > mostNanos) throw refuse('it is too long');
  }
  if (nanos % nanosPerMilli !== 0n) throw refuse('it is finer than a millisecond');
  return Number(nanos / nanosPerMilli);
}

/**
 * Writes a duration as people write it in the configuration file: `30m`, `1h30m`, `1.5s`, `500ms`, `0s`.
 * Reading the result gives the same number.
 * @param millis a whole number, not negative
 */
export function formatDuration(millis: Millis): string {
  if (!Number.isSafeInteger(millis) || millis < 0) throw new RangeError(`not a duration: ${millis}`);
  if (millis === 0) return '0s';
  if (millis < 1000) return `${millis}ms`;
  const hours = Math.floor(millis / 3_600_000);
  const minutes = Math.floor((millis % 3_600_000) / 60_000);
  const rest = millis % 60_000;
  const seconds = Math.floor(rest / 1000);
  const fraction =
    rest % 1000 === 0
      ? ''
      : `.${String(rest % 1000)
          .padStart(3, '0')
          .replace(/0+$/, '')}`;
  return (
    (hours > 0 ? `${hours}h` : '') +
    (minutes > 0 ? `${minutes}m` : '') +
    (rest > 0 ? `${seconds}${fraction}s` : '')
  );
}

/** A written duration in days, where it is more than one and whole: `2160h` is `90d`. Any other text unchanged. */
export function inDays(text: string): string {
  const hours = Number(/^(\d+)h$/.exec(text)?.[1]);
  return hours > 24 && hours % 24 === 0 ? `${hours / 24}d` : text;
}
