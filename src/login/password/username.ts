import { hmacSha256 } from '../../platform/digest.ts';

/**
 * The one form under which a user name is stored for look-up, so that every spelling of a name shares one
 * authenticator and one failure counter: width mapping, lower case, NFC (RFC 8265 3.3, UsernameCaseMapped).
 * @returns undefined for what cannot be a user name: empty, longer than 100 characters, leading or trailing
 *   space, control, format (zero-width, direction) or unassigned characters
 */
export function usernameKey(username: string): string | undefined {
  const key = username.normalize('NFKC').toLowerCase().normalize('NFC');
  if (key.length === 0 || key.length > 100 || key !== key.trim()) return undefined;
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(key) ? undefined : key;
}

/**
 * What decision records have in place of a user name that nobody has: people type passwords there. The same text has the
 * same mark, on every node, so that one client that keeps trying is told from one that tries many names.
 * @param secret server secret: without it nobody can try out what the text was
 * @param key    as `usernameKey` gives it
 */
export function unknownNameMark(secret: Buffer, key: string): string {
  return `unknown name #${hmacSha256(secret, key).toString('hex', 0, 5)}`;
}
