import { usageError } from '../../terminal/output.ts';

/**
 * The origin of the server that the person means. `localhost:1280`, `https://localhost:1280` and the issuer
 * `https://localhost:1280/oidc` mean the same.
 * @throws CliError exit 2 for anything but an https address
 */
export function serverOrigin(text: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.parse(withScheme);
  if (url === null || !isPlainHost(url)) {
    throw usageError(`"${text}" is not an address.`, 'overlay-auth login https://localhost:1280');
  }
  if (url.protocol !== 'https:') {
    throw usageError(
      `"${text}" is not an https address; passwords and tokens travel over https only.`,
      `overlay-auth login https://${url.host}`,
    );
  }
  if (url.username !== '' || url.password !== '')
    throw usageError(
      'An address must not contain a user name or password.',
      `overlay-auth login ${url.origin} -u USER`,
    );
  return url.origin;
}

/**
 * Whether the host is a name or an address. A URL may have `$(…)` in it, too: a stranger may have written it, and it stands
 * in commands that people copy.
 */
export function isPlainHost({ host }: URL): boolean {
  return /^[\w.:[\]-]+$/.test(host);
}

/** Whether the name of the host means this computer, so that no other can answer for it. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
