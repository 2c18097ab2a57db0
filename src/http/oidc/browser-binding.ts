// The cookies that bind logins to the browser in which they began (RFC 9700 4.7). Only for browsers: the JSON contract
// never depends on a cookie.
//
// A browser usually has one. Several tabs that begin their logins at once, as after a restart of the browser, get one
// each: a cookie's name has the beginning of its value, so that none replaces another, and each login continues with
// the one that it is bound to.

import { DAY, SECOND } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import type { Random } from '../../platform/random.ts';
import type { RequestContext } from '../request/request-context.ts';

const prefix = '__Host-overlay-auth-login-';
const form = new RegExp(`^${prefix}([A-Za-z0-9_-]{4})=(\\1[A-Za-z0-9_-]{39})$`);
/** As long as a login that has expired can be recognized: only its own browser is told how it starts again. */
const maxAgeSeconds = DAY / SECOND;

/** SHA-256 of each binding cookie of the browser. Its logins are bound to one of them. */
export function bindingsOf(context: Pick<RequestContext, 'sender'>): readonly string[] {
  return cookieValues(context).map(sha256);
}

/**
 * Binds a login that begins now, or continues. A browser keeps its cookie, so that logins in several tabs can all
 * continue.
 * @param bound what the login is bound to already
 */
export function bindBrowser(
  random: Random,
  context: Pick<RequestContext, 'sender'>,
  bound: string | null = null,
): { readonly binding: string; readonly headers: { readonly 'set-cookie': string } } {
  const values = cookieValues(context);
  const value =
    values.find((known) => sha256(known) === bound) ?? values[0] ?? random.bytes(32).toString('base64url');
  const cookie = `${prefix}${value.slice(0, 4)}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return { binding: sha256(value), headers: { 'set-cookie': cookie } };
}

function cookieValues({ sender }: Pick<RequestContext, 'sender'>): readonly string[] {
  return sender.cookiesBeginning(prefix).flatMap((pair) => form.exec(pair)?.[2] ?? []);
}
