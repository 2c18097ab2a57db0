import type { Challenge } from '../../errors/challenge.ts';

/**
 * The values of the `WWW-Authenticate` lines, one challenge each, in the given order.
 * @see RFC 9110 section 11.6.1; spec section 7.2
 */
export function challengeLines(challenges: readonly Challenge[]): string[] {
  return challenges.map(formatChallenge);
}

/**
 * `scheme realm="…", error="…", error_description="…", algs="…", max_age="…", id="…", issuer="…"`.
 * `id` and `issuer` come from administrators. A value that a header cannot carry is omitted, because a challenge
 * without the hint is more useful than none.
 * @throws RangeError when one of the other parameters has such a value, which is a defect
 */
export function formatChallenge(challenge: Challenge): string {
  const parts = [
    `realm=${quotedString(challenge.realm)}`,
    `error=${quotedString(challenge.error)}`,
    `error_description=${quotedString(challenge.errorDescription)}`,
  ];
  if (challenge.algs !== undefined) parts.push(`algs=${quotedString(challenge.algs)}`);
  if (challenge.maxAge !== undefined) parts.push(`max_age=${quotedString(String(challenge.maxAge))}`);
  if (challenge.id !== undefined && isPrintable(challenge.id)) parts.push(`id=${quotedString(challenge.id)}`);
  if (challenge.issuer !== undefined && isPrintable(challenge.issuer))
    parts.push(`issuer=${quotedString(challenge.issuer)}`);
  return `${challenge.scheme} ${parts.join(', ')}`;
}

/**
 * A quoted-string of printable ASCII, `"` and `\` escaped.
 * @throws RangeError for anything else: CR and LF would end the header, other bytes have no defined meaning
 * @see RFC 9110 section 5.6.4
 */
export function quotedString(text: string): string {
  if (!isPrintable(text)) throw new RangeError('a quoted-string holds printable ASCII only');
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
