/**
 * The address of the set-up page, with the token of a link.
 * @param issuer of the bind point that clients dial
 */
export function setupUrl(issuer: string, token: string): string {
  const url = new URL('/setup', issuer);
  url.searchParams.set('t', token);
  return url.href;
}
