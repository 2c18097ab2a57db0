// The sender of a request, decided once, before anything else of it is read. A browser adds the person's cookies and
// the client certificate of the connection to a request. Only the sender has both, so that no endpoint can use
// them for a page of another origin. docs/decisions/requests-of-foreign-pages.md has the reasons.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { wantsHtml } from './answer.ts';
import { type PeerCertificates, peerCertificates } from './peer-certificates.ts';

/**
 * `own-page`: a page of this origin.
 * `foreign-page`: a page of another origin, be it allowed or on another port of this host, or a document inside a page.
 * `navigation`: a person opens an address, or another site leads there. Nothing may be done only because of that.
 * `program`: no browser.
 */
export type SenderKind = 'own-page' | 'foreign-page' | 'navigation' | 'program';

/** It is a class for the same reason as RequestContext. */
export class Sender {
  readonly kind: SenderKind;
  readonly #raw: Pick<IncomingMessage, 'headers' | 'method' | 'socket'>;

  /** @param ownOrigin that of the bind point */
  constructor(raw: Pick<IncomingMessage, 'headers' | 'method' | 'socket'>, ownOrigin: string) {
    this.#raw = raw;
    this.kind = kindOf(raw, ownOrigin);
  }

  /** The certificates that the client proved and sent in the handshake; null when there are none for this request. */
  get certificates(): PeerCertificates | null {
    return this.kind === 'foreign-page' ? null : peerCertificates(this.#raw.socket as TLSSocket);
  }

  /** The value of a cookie; null when there is none for this request. Programs have none. */
  cookie(name: string): string | null {
    return this.cookiesBeginning(`${name}=`)[0]?.slice(name.length + 1) ?? null;
  }

  /** The cookies, as `NAME=VALUE`, that begin with a text; those that were set first come first (RFC 6265 section 5.4). */
  cookiesBeginning(text: string): readonly string[] {
    const { cookie } = this.#raw.headers;
    if (cookie === undefined || !this.#isInWindow) return [];
    // Browsers remove spaces and tabs before a name, and nothing else (RFC 6265 section 5.2). A no-break space belongs to
    // the name, and without it another host's cookie would have one that only our own host can set (`__Host-`).
    return cookie.split(/;[ \t]*/).filter((pair) => pair.startsWith(text));
  }

  /** Whether a browser shows the answer to a person: then it is a page, and may set cookies. */
  get isPerson(): boolean {
    return this.#isInWindow && wantsHtml(this.#raw.headers.accept);
  }

  get #isInWindow(): boolean {
    return this.kind === 'own-page' || this.kind === 'navigation';
  }

  /** Whether the answer is shown, as after submitting a form, instead of being read by a script or program. */
  get isSubmitted(): boolean {
    return this.#raw.headers['sec-fetch-mode'] === 'navigate' || wantsHtml(this.#raw.headers.accept);
  }

  /** Whether a browser fetches the address before the person follows the link (Fetch, section 2.2.5). */
  get isAheadOfClick(): boolean {
    return String(this.#raw.headers['sec-purpose'] ?? '').includes('prefetch');
  }

  /** The origin that the request names, for CORS. */
  get origin(): string | undefined {
    return this.#raw.headers.origin;
  }

  /** The browser's statement about the page, for the log. */
  get said(): string {
    const { 'sec-fetch-site': site } = this.#raw.headers;
    return `Origin: ${this.origin?.slice(0, 200) ?? 'none'}, Sec-Fetch-Site: ${String(site).slice(0, 50)}`;
  }
}

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Decided by the method: any page can make a browser send a GET. */
export function mayChangeSomething(method: string): boolean {
  return !reading.has(method);
}

/** @see Fetch Metadata Request Headers, section 2; RFC 6454 section 7.3 */
function kindOf(
  { headers, method = '' }: Pick<IncomingMessage, 'headers' | 'method'>,
  ownOrigin: string,
): SenderKind {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!saysFetchMetadata(headers)) {
    // Browsers of before 2023 name at least the origin of what could change something.
    if (origin !== undefined) return origin === ownOrigin ? 'own-page' : 'foreign-page';
    return !mayChangeSomething(method) && wantsHtml(headers.accept) ? 'navigation' : 'program';
  }
  // Our pages send no referrer, and so their forms have the origin `null`.
  const isOwnOrigin = origin === undefined || origin === 'null' || origin === ownOrigin;
  if (site === 'same-origin') return isOwnOrigin ? 'own-page' : 'foreign-page';
  if (origin !== undefined) return 'foreign-page';
  if (site === 'none') return 'navigation';
  const isKnown = site === 'cross-site' || site === 'same-site';
  return isKnown && !mayChangeSomething(method) && isTopLevel(headers) ? 'navigation' : 'foreign-page';
}

/** Whether any of these headers is there, apart from the one that the `fetch` of Node sends: no browser sends it alone. */
function saysFetchMetadata(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (site !== undefined || (mode !== undefined && mode !== 'cors')) return true;
  return metadataOfBrowsers.some((name) => headers[name] !== undefined);
}

const metadataOfBrowsers = ['sec-fetch-dest', 'sec-fetch-user', 'sec-fetch-storage-access'];

/** In a window of its own: what is in a frame belongs to the page around it. */
function isTopLevel({ 'sec-fetch-mode': mode, 'sec-fetch-dest': destination }: IncomingHttpHeaders): boolean {
  return mode === 'navigate' && (destination === undefined || destination === 'document');
}
