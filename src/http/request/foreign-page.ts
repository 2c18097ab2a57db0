// Whose page made a browser send a request. The browser adds what belongs to the person: cookies, and the client
// certificate of the connection.

import type { IncomingHttpHeaders } from 'node:http';
import { AuthError } from '../../errors/auth-error.ts';
import type { OriginCheck } from './cors.ts';

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Decided by the method: any page can make a browser send a GET. */
export function mayChangeSomething(method: string): boolean {
  return !reading.has(method);
}

/**
 * Refuses a request that may change something and that a page of another site has made. It does not help that the page
 * cannot read the answer: by then the change is made. Programs send neither `Origin` nor `Sec-Fetch-Site`.
 *
 * A page of a sibling host, or of another port of this one (`same-site`), is foreign too: cookies and certificate are
 * sent as well, and somebody else may run it. `none` means that the person acted, not a page.
 * @throws AuthError forbidden
 * @see RFC 6454 section 7.3; Fetch Metadata Request Headers, section 2.3
 */
export function refuseForeignPage(
  method: string,
  headers: IncomingHttpHeaders,
  isAllowedOrigin: OriginCheck,
): void {
  if (!mayChangeSomething(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && isAllowedOrigin(origin)) return;
  // Our pages send no referrer, and forms without referrer have the origin `null`.
  if ((origin === undefined || origin === 'null') && site === 'same-origin') return;
  if (origin === undefined && (site === undefined || site === 'none')) return;
  throw new AuthError('forbidden', {
    description:
      'A page of another site has sent this, and such pages may not change anything here, except applications at the origin of their redirect URI',
    detail: `Origin: ${origin?.slice(0, 200) ?? 'none'}, Sec-Fetch-Site: ${String(site).slice(0, 50)}`,
  });
}

/**
 * Whether one of our own forms was submitted, where applications may post too but must not answer for the person. A
 * browser too old to say whose page it was says at least the origin, if any.
 */
export function isOfOwnPage(method: string, headers: IncomingHttpHeaders, issuer: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin === undefined || origin === new URL(issuer).origin;
  return method === 'POST' && (site === 'same-origin' || (site === undefined && isOwn));
}
