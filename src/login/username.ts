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
