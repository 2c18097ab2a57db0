/**
 * The address of the set-up page with a link's token.
 * @param issuer of the bind point that clients dial
 */
export function setupUrl(issuer: string, token: string): string {
  const url = new URL('/setup', issuer);
  url.searchParams.set('t', token);
  return url.href;
}
