import type { BindPoint, Listener } from '../../config/config.ts';
import type { RedirectUriPattern } from '../../model/redirect-uri-pattern.ts';
import type { RegisteredClient } from '../../sessions/account-view.ts';

// Which web origins may read our answers and change something (begin-request.ts): the bind point's own, and those that
// receive codes anyway. No credentials are allowed: nothing that scripts call depends on a cookie, and what a browser
// sends in spite of that counts for no page of another origin (sender.ts).

/** Decides for one bind point whether an Origin header names an allowed origin. */
export type OriginCheck = (origin: string) => boolean;

/**
 * Whether an origin belongs to a registered application that runs in browsers.
 * @param isForApplications whether it is an endpoint of the protocol, which scripts of any application may call; others
 * are for those with apiAccess
 */
export type ApplicationOrigins = (origin: string, isForApplications: boolean) => boolean;

const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';
// A page with OpenTelemetry adds the last three, of W3C Trace Context and Baggage, to its calls.
const allowedHeaders =
  'authorization, dpop, content-type, accept, if-match, zt-session, mfa-validation-code, traceparent, tracestate, baggage';
// `date` tells a script that the clock of its computer is wrong.
const exposedHeaders =
  'date, etag, location, www-authenticate, dpop-nonce, auth-request-id, totp-required, expires-at, expiration-seconds, x-request-id, retry-after, zt-session, deprecation';

/** Headers of an answer to a request from an allowed origin; `*` means all. Every answer has `vary: origin`. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders };
}

/** Further headers of the answer to a preflight. Browsers keep it for ten minutes. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': allowedMethods,
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': '600',
};

/** The origin of a bind point's own pages, as browsers write it. */
export function originOfBindPoint({ address }: BindPoint): string {
  return new URL(`https://${address}`).origin;
}

/** The allow-list of a bind point: exact texts, and origins with any port if the pattern says so. */
export function originCheck(bindPoint: BindPoint, listener: Listener): OriginCheck {
  const patterns = listener.apis.flatMap((api) =>
    api.binding === 'edge-oidc' ? api.options.redirectURIs : [],
  );
  const own = originOfBindPoint(bindPoint);
  const isOfPattern = originsOf(patterns);
  return (origin) => origin === own || isOfPattern(origin);
}

/** @param clients those that are registered now */
export function originsOfApplications(
  clients: () => readonly Pick<RegisteredClient, 'type' | 'apiAccess' | 'redirectPatterns'>[],
): ApplicationOrigins {
  // Every request that names an origin asks. A client that changes gets another list.
  const known = new WeakMap<readonly RedirectUriPattern[], OriginCheck>();
  const checkOf = (patterns: readonly RedirectUriPattern[]) => {
    const check = known.get(patterns) ?? originsOf(patterns);
    known.set(patterns, check);
    return check;
  };
  return (origin, isForApplications) =>
    clients().some(
      ({ type, apiAccess, redirectPatterns }) =>
        // Applications with a server keep the secret there, and call from there.
        type === 'public' && (isForApplications || apiAccess) && checkOf(redirectPatterns)(origin),
    );
}

/** Whether one of the redirect URIs has this origin. */
function originsOf(patterns: readonly RedirectUriPattern[]): OriginCheck {
  const exact = new Set<string>();
  const anyPort: string[] = [];
  for (const pattern of patterns) {
    if (pattern.kind === 'any-port') anyPort.push(pattern.prefix);
    else addOrigin(exact, pattern);
  }
  return (origin) => exact.has(origin) || anyPort.some((prefix) => isPortOf(origin, prefix));
}

function addOrigin(origins: Set<string>, { uri }: Extract<RedirectUriPattern, { kind: 'exact' }>): void {
  const { protocol, origin } = new URL(uri);
  // Schemes of native apps have no origin that a browser would send.
  if (protocol === 'https:' || protocol === 'http:') origins.add(origin);
}

// A browser omits the port only if it is the scheme's default.
function isPortOf(origin: string, prefix: string): boolean {
  if (!origin.startsWith(prefix)) return false;
  const port = origin.slice(prefix.length);
  return port === '' || (/^:[1-9]\d{0,4}$/.test(port) && Number(port.slice(1)) <= 65535);
}
