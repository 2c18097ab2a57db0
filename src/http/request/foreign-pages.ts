import type { IncomingHttpHeaders } from 'node:http';
import { AuthError } from '../../errors/auth-error.ts';
import type { OriginCheck } from './cors.ts';

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** By its method; what a GET does, every page may make a browser do. */
export function mayChangeSomething(method: string): boolean {
  return !reading.has(method);
}

/**
 * Refuses a request that may change something and that a page of another site has made. The browser adds what belongs to
 * the person: cookies, and the client certificate of the connection. That the page cannot read the answer is no
 * defence: what it wanted is done by then. Programs send neither `Origin` nor `Sec-Fetch-Site`.
 *
 * A page of a sibling host, or of another port of this one (`same-site`), is foreign too: cookies and certificate come
 * along as well, and whoever runs it does not run this service. `none` is the person's own doing: no page made it.
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
      'A page of another site has sent this, and such pages may change nothing here; an application is let in by the origin of its redirect URI',
    detail: `Origin: ${origin?.slice(0, 200) ?? 'none'}, Sec-Fetch-Site: ${String(site).slice(0, 50)}`,
  });
}
