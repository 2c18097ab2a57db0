// The cookie that binds a login to the browser in which it began (RFC 9700 4.7). Only for browsers: the JSON contract
// never depends on a cookie.

import { sha256 } from '../../platform/digest.ts';
import type { Random } from '../../platform/random.ts';
import type { RequestContext } from '../request/request-context.ts';

const name = '__Host-overlay-auth-login';
const maxAgeSeconds = 1800;

/** The binding cookie of the browser, or null. */
export function bindingCookie({ sender }: Pick<RequestContext, 'sender'>): string | null {
  const value = sender.cookie(name);
  return value !== null && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null;
}

/** Binds a login that begins now. A browser keeps its cookie, so that logins in several tabs can all continue. */
export function bindBrowser(
  random: Random,
  context: Pick<RequestContext, 'sender'>,
): { readonly binding: string; readonly headers: { readonly 'set-cookie': string } } {
  const value = bindingCookie(context) ?? random.bytes(32).toString('base64url');
  const cookie = `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return { binding: sha256(value), headers: { 'set-cookie': cookie } };
}
