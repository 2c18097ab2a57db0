import { isIPv4, isIPv6 } from 'node:net';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import { isHostName } from './addresses.ts';
import { nearestKey } from './nearest-key.ts';
import { Refusal } from './refusal.ts';

const longestUri = 2048;
const webSchemes: readonly string[] = ['https', 'http'];
const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Schemes that make a browser run, show or open something by itself. Any other scheme may belong to a native app
 * (RFC 8252 section 7.1).
 */
const dangerousSchemes: readonly string[] = [
  'about',
  'blob',
  'chrome',
  'chrome-extension',
  'content',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'jar',
  'javascript',
  'mailto',
  'moz-extension',
  'resource',
  'sms',
  'tel',
  'urn',
  'vbscript',
  'view-source',
  'ws',
  'wss',
];

/** The defaults when the file lists no redirect URIs: any port of a loopback host, this path. */
export const defaultRedirectUris: readonly string[] = loopbackUris('/auth/callback');
export const defaultPostLogoutUris: readonly string[] = loopbackUris('/auth/logout');

function loopbackUris(path: string): readonly string[] {
  return ['http', 'https'].flatMap((scheme) => loopbackHosts.map((host) => `${scheme}://${host}:*${path}`));
}

/**
 * Reads one configured redirect URI. Requests are compared with the raw text (security decision: structural matching),
 * so the text must already be what a client sends: lower-case scheme and host, no dot segments, only characters that a
 * URI may contain.
 *
 * `*` is accepted only as the whole port of an http(s) URI; plain http only on `localhost`, `127.0.0.1` and `[::1]`.
 *
 * @throws Refusal
 * @see spec section 5.7; RFC 8252 sections 7.1, 7.3 and 8.3; RFC 6749 section 3.1.2 (no fragment)
 */
export function parseRedirectUri(text: string): RedirectUriPattern {
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  const refuse = (why: string) => new Refusal(`has the redirect URI ${shown}, which is refused: ${why}`);

  if (text.length > longestUri) throw refuse(`it is longer than ${longestUri} characters`);
  if (text.includes('#')) throw refuse('it must not have a fragment');
  if (text.includes('\\')) throw refuse('it contains a backslash, which some parsers take for a slash');
  if (!/^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]*$/.test(text)) {
    // The one form of it in a URI: percent-encoded, and Punycode in a host name (RFC 3492).
    const encoded = URL.parse(text)?.href ?? null;
    throw refuse(
      encoded === null
        ? 'it contains a character that a URI must write percent-encoded'
        : `it contains a character that a URI cannot have; write ${encoded}`,
    );
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw refuse('a % must be followed by two hexadecimal digits');

  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined) throw refuse('it must be absolute, for example https://app.example.com/callback');
  if (scheme !== scheme.toLowerCase()) throw refuse('write the scheme in lower case');
  if (dangerousSchemes.includes(scheme)) throw refuse(`the scheme ${scheme} is not allowed`);
  if (/^[^?]*[,;][a-z][a-z\d+.-]*:\/\//i.test(text))
    throw refuse('it contains a second address; list each by itself');
  if (/^[^:]*:\d+(?:\/|$)/.test(text)) throw refuse('write https:// before it, or http:// for localhost');
  const meant = webSchemes.includes(scheme) ? undefined : nearestKey(scheme, webSchemes);
  if (meant !== undefined)
    throw refuse(`${scheme} is no scheme of the web; write ${meant}${text.slice(scheme.length)}`);
  return scheme === 'http' || scheme === 'https'
    ? parseWebUri(text, scheme, refuse)
    : parseNativeUri(text, scheme, refuse);
}

type Refuse = (why: string) => Refusal;

function parseWebUri(text: string, scheme: 'http' | 'https', refuse: Refuse): RedirectUriPattern {
  const parts = /^https?:\/\/([^/?]*)(.*)$/.exec(text);
  if (parts === null) throw refuse(`it must begin with ${scheme}://`);
  const [, authority = '', rest = ''] = parts;
  if (authority.includes('@')) throw refuse('it must not contain a user name (@)');
  const hostAndPort = /^(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/.exec(authority);
  if (hostAndPort === null) throw refuse('its host cannot be read');
  const [, host = '', port] = hostAndPort;

  checkHost(host, refuse);
  const loopback = loopbackHosts.includes(host);
  if (scheme === 'http' && !loopback)
    throw refuse('plain http is allowed for localhost, 127.0.0.1 and [::1] only; use https');
  if (rest.includes('*')) throw starRefusal(refuse);
  checkPath(rest, refuse);
  if (port === '*') {
    if (!rest.startsWith('/')) throw refuse('a path must follow the port, for example /auth/callback');
    return { kind: 'any-port', prefix: `${scheme}://${host}`, suffix: rest };
  }
  if (port?.includes('*') === true) throw starRefusal(refuse);
  if (port !== undefined && !isPort(port))
    throw refuse('its port must be a number from 1 to 65535 without leading zero');
  return { kind: 'exact', uri: text };
}

function parseNativeUri(text: string, scheme: string, refuse: Refuse): RedirectUriPattern {
  const parts = /^[^:]+:(?:\/\/([^/?]*))?(\/[^?]*)?(?:\?.*)?$/.exec(text);
  const authority = parts?.[1];
  const path = parts?.[2];
  if (parts === null || ((authority ?? '') === '' && (path ?? '') === ''))
    throw refuse(`write it as ${scheme}://auth/callback or ${scheme}:/callback`);
  if (text.includes('*')) throw starRefusal(refuse);
  if (authority?.includes('@') === true) throw refuse('it must not contain a user name (@)');
  checkPath(path ?? '', refuse);
  // The login pages parse it to get its scheme.
  if (!URL.canParse(text)) throw refuse('its host or port cannot be read');
  return { kind: 'exact', uri: text };
}

function starRefusal(refuse: Refuse): Refusal {
  return refuse('* may only replace the whole port, for example https://app.example.com:*/callback');
}

function checkHost(host: string, refuse: Refuse): void {
  if (host === '') throw refuse('its host is missing');
  if (host.includes('*')) throw starRefusal(refuse);
  if (host !== host.toLowerCase()) throw refuse('write the host in lower case');
  const known = host.startsWith('[')
    ? isIPv6(host.slice(1, -1)) && !host.includes('%')
    : isIPv4(host) || isHostName(host);
  if (!known) throw refuse('its host must be a host name or an IP address in its usual form');
}

/** Clients resolve dot segments before they send the URI, so such an entry could never match as written. */
function checkPath(rest: string, refuse: Refuse): void {
  const path = rest.split('?')[0] ?? '';
  const segments = path.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw refuse('its path must not contain . or .. as a segment');
}

function isPort(text: string): boolean {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65535;
}

/** Whether a pattern sends codes to any port of a host that others may use too. */
export function allowsAnyRemotePort(pattern: RedirectUriPattern): boolean {
  return pattern.kind === 'any-port' && !isLoopbackHost(pattern.prefix.replace(/^https?:\/\//, ''));
}

/** @param host as a URL spells it */
export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.includes(host);
}
