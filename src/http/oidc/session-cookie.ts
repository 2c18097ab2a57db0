// The cookie of a browser session. Only pages read it, and only together with a login that began in this browser: no
// API accepts it. `__Host-`: no other host or path can set it. `Lax`: forms of other sites do not send it.

import type { RequestContext } from '../request/request-context.ts';

const name = '__Host-overlay-auth-session';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Its value, or null. */
export function sessionCookie({ sender }: RequestContext): string | null {
  const value = sender.cookie(name);
  return value !== null && /^[A-Za-z0-9_-]{91}$/.test(value) ? value : null;
}

/**
 * The header that gives a browser its session. The cookie ends with the browser's own session, never later than ours.
 */
export function sessionCookieHeader(value: string): string {
  return `${name}=${value}; ${attributes}`;
}

/** The header that removes it. */
export const noSessionCookieHeader = `${name}=; ${attributes}; Max-Age=0`;
