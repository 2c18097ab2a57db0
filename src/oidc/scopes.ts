// Scopes: which there are, and what a request for some of them means. What does not exist is ignored in every request
// alike (OIDC Core 3.1.2.1), so that a client may repeat at the refresh what it asked for at the beginning.

import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';

/** Scopes that mean something here. */
export const supportedScopes = ['openid', 'offline_access'] as const;

/** Those of a `scope` parameter that exist, in our order. */
export function existingScopes(scope: string): readonly string[] {
  const asked = scope.split(' ');
  return supportedScopes.filter((known) => asked.includes(known));
}

/**
 * The scopes that the client asks to keep, or null for all: also where it names none that exists, which is as if it
 * had named none (RFC 6749 6). Checked before anything is used up.
 * @throws AuthError invalid_scope   one exists and was not granted
 */
export function narrowedScope(
  session: Pick<ApiSession, 'scopes'>,
  scope: string | null,
): readonly string[] | null {
  const asked = scope === null ? [] : existingScopes(scope);
  if (!asked.every((entry) => session.scopes.includes(entry))) throw new AuthError('invalid_scope');
  return asked.length === 0 ? null : asked;
}

/** This answer's tokens have the narrower scope; the refresh token keeps the original one (RFC 6749 6). */
export function narrowed(session: ApiSession, asked: readonly string[] | null): ApiSession {
  return asked === null
    ? session
    : { ...session, scopes: session.scopes.filter((scope) => asked.includes(scope)) };
}
