import type { Principal } from '../../model/principal.ts';
import { isoTime, type Millis, SECOND } from '../../platform/clock.ts';

/**
 * `expires-at` (RFC 3339) and `expiration-seconds` of a session: never negative and, whatever the clock does,
 * never longer than what was granted.
 */
export function sessionHeaders(
  session: Pick<Principal, 'issuedAt' | 'expiresAt'>,
  now: Millis,
): { readonly 'expires-at': string; readonly 'expiration-seconds': string } {
  const granted = session.expiresAt - session.issuedAt;
  const left = Math.max(0, Math.min(session.expiresAt - now, granted));
  return {
    'expires-at': isoTime(session.expiresAt),
    'expiration-seconds': String(Math.floor(left / SECOND)),
  };
}
