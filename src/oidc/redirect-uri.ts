import type { AuthRequest } from '../model/auth-request.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';

/**
 * Whether a redirect URI, as received, is one of the registered ones (RFC 6749 3.1.2.3, RFC 9700 2.1).
 * The comparison is structural and on the raw text: no URL parser, no pattern language, no normalization, because for
 * some spelling each of these sees a different host than the browser does.
 */
export function isRegisteredRedirectUri(patterns: readonly RedirectUriPattern[], received: string): boolean {
  return patterns.some((pattern) => matches(pattern, received));
}

function matches(pattern: RedirectUriPattern, received: string): boolean {
  if (pattern.kind === 'exact') return pattern.uri === received;
  if (!received.startsWith(pattern.prefix) || !received.endsWith(pattern.suffix)) return false;
  const between = received.slice(pattern.prefix.length, received.length - pattern.suffix.length);
  if (received.length < pattern.prefix.length + pattern.suffix.length) return false;
  return between === '' || isPort(between);
}

/**
 * The patterns of a registered application: at a loopback IP address it may listen on any port, whichever port was
 * registered. Not under the name localhost, which may lead elsewhere, and not by https.
 * @see RFC 8252 sections 7.3 and 8.3
 */
export function withAnyLoopbackPort(patterns: readonly RedirectUriPattern[]): readonly RedirectUriPattern[] {
  return patterns.map((pattern) => {
    const parts = pattern.kind === 'exact' ? loopbackAddress.exec(pattern.uri) : null;
    return parts === null ? pattern : { kind: 'any-port', prefix: parts[1] ?? '', suffix: parts[2] ?? '' };
  });
}

const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d+)?((?:[/?].*)?)$/s;

/** `:` and a decimal port without leading zeros. */
function isPort(text: string): boolean {
  if (!/^:[1-9][0-9]{0,4}$/.test(text)) return false;
  return Number(text.slice(1)) <= 65_535;
}

/** 127.0.0.0/8, `::1`, the names for them, and addresses that mean any of them. As a URL parser writes hosts. */
const loopback =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}|0):[\da-f]+\])$/;

/**
 * Whether a redirect URI leads to the person's own device, where any program can listen on a port or claim a scheme: who
 * receives a code there is not known (RFC 8252 section 8.6).
 */
export function isOnOwnDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return !isWeb || loopback.test(hostname);
}

/**
 * Whether a code for a redirect URI goes to a program on the person's own device, or to a service on another port of our
 * host: cookies ignore ports, so who receives it may have planted the cookie of the login.
 */
export function isOfNeighbour({ redirectUri, issuer }: Pick<AuthRequest, 'redirectUri' | 'issuer'>): boolean {
  const [to, own] = [new URL(redirectUri), new URL(issuer)];
  return to.origin !== own.origin && (isOnOwnDevice(redirectUri) || to.hostname === own.hostname);
}

/** Where a login for a device leads (RFC 8628): one of our pages, which no request may name. */
export function deviceRedirectUri(issuer: string): string {
  return `${issuer}/device/finished`;
}

export function isForDevice({ redirectUri, issuer }: Pick<AuthRequest, 'redirectUri' | 'issuer'>): boolean {
  return redirectUri === deviceRedirectUri(issuer);
}

/**
 * The redirect URI with parameters added to its query, in the given order. Null values are omitted.
 * @see RFC 6749 section 4.1.2
 */
export function withParameters(
  redirectUri: string,
  parameters: readonly (readonly [string, string | null])[],
): string {
  const query = parameters
    .filter((entry): entry is readonly [string, string] => entry[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}
