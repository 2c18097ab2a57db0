// Rules of single values of an external JWT signer.

import { isClaimsSelector } from '../login/external-jwt/claims-selector.ts';
import { withoutFinalSlashes } from '../platform/formats/final-slashes.ts';
import { refusedField, requireFew } from './acceptable-values.ts';

const longestUrl = 2048;
/** Bytes in UTF-8. Issuer and audience together form one index entry, which PostgreSQL limits to 2,704 bytes. */
const longestText = 1024;
const longestIssuer = 1024;
const mostScopes = 50;
const longestLeeway = 60;
const longestLifetime = 10 * 366 * 24 * 60 * 60;

/**
 * An issuer, compared exactly with the one in tokens. Headers list several of them, joined by `|`.
 * @param own our own issuers: no other party can vouch for tokens that we issue
 */
export function acceptableIssuer(issuer: string, own: ReadonlySet<string>): string {
  if (issuer === '') throw refusedField('issuer', 'must not be empty', issuer);
  if (issuer.length > longestIssuer || !/^[\x21-\x7b\x7d\x7e]+$/.test(issuer)) {
    const reason = `must be at most ${longestIssuer} printable ASCII characters without spaces and "|"`;
    throw refusedField('issuer', reason, issuer);
  }
  const comparable = comparableUrl(issuer);
  for (const ours of own) {
    if (comparableUrl(ours) === comparable)
      throw refusedField('issuer', 'is an issuer of this service', issuer);
  }
  return issuer;
}

/** Without the differences that people overlook: case of the host, default port, trailing slash. */
export function comparableUrl(text: string): string {
  return withoutFinalSlashes(URL.parse(text)?.href ?? text);
}

export function acceptableAudience(audience: string): string {
  return acceptableText('audience', audience);
}

export function acceptableClientId(clientId: string | null): string | null {
  return clientId === null || clientId === '' ? null : acceptableText('clientId', clientId);
}

function acceptableText(field: string, text: string): string {
  if (text === '') throw refusedField(field, 'must not be empty', text);
  if (Buffer.byteLength(text) > longestText || !text.isWellFormed() || /\p{Cc}/u.test(text))
    throw refusedField(
      field,
      `must be at most ${longestText} bytes of text without control characters`,
      text,
    );
  return text;
}

export function acceptableSelector(field: string, selector: string): string {
  if (isClaimsSelector(selector)) return selector;
  throw refusedField(
    field,
    'must be the name of a claim, or a JSON pointer that begins with a slash',
    selector,
  );
}

/** Browsers are sent there, so only schemes that lead to a server are accepted. */
export function acceptableAuthUrl(url: string | null): string | null {
  if (url === null || url === '') return null;
  const parsed = url.length > longestUrl ? null : URL.parse(url);
  if (parsed !== null && ['https:', 'http:'].includes(parsed.protocol) && parsed.username === '') return url;
  throw refusedField('externalAuthUrl', 'must be an https or http URL', url);
}

/** @see RFC 6749 section 3.3 */
export function acceptableScopes(scopes: readonly string[]): readonly string[] {
  requireFew('scopes', scopes, mostScopes);
  for (const scope of scopes) {
    if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(scope))
      throw refusedField('scopes', 'must be scope names, one in each entry', scope);
  }
  return [...new Set(scopes)];
}

export function acceptableLeeway(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= longestLeeway) return seconds;
  throw refusedField('leewaySeconds', `must be a whole number from 0 to ${longestLeeway}`, seconds);
}

export function acceptableLifetime(seconds: number | null): number | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= 1 && seconds <= longestLifetime))
    return seconds;
  throw refusedField(
    'maxLifetimeSeconds',
    `must be a whole number from 1 to ${longestLifetime}, or null`,
    seconds,
  );
}
