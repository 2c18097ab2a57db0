/** The origin, or for a private scheme the scheme, to which the answer to the last form of a login will lead. */
export function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.origin === 'null' ? url.protocol : url.origin;
}
