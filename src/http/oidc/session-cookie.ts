// The cookie of a browser session. Only pages read it, and only together with a login that was begun in this browser:
// no API takes it. `__Host-`: no other host or path can set it; `Lax`: no form of another site brings it along.

import type { RequestContext } from '../request/request-context.ts';

const name = '__Host-overlay-auth-session';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Its value, or null. */
export function sessionCookie(context: RequestContext): string | null {
  const found = /(?:^|;\s*)__Host-overlay-auth-session=([A-Za-z0-9_-]{91})(?:;|$)/.exec(
    context.headers.cookie ?? '',
  );
  return found?.[1] ?? null;
}

/** The header that gives a browser its session. It goes with the browser's own session, not later than ours. */
export function sessionCookieHeader(value: string): string {
  return `${name}=${value}; ${attributes}`;
}

/** The header that takes it away. */
export const noSessionCookieHeader = `${name}=; ${attributes}; Max-Age=0`;
