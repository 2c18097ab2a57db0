import { AuthError } from '../errors/auth-error.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { AuthRequest } from '../model/auth-request.ts';
import type { Clock } from '../platform/clock.ts';
import { constantTimeEqual, sha256 } from '../platform/digest.ts';
import type { AuthRequestSealer } from './auth-request-id.ts';

/**
 * The authorization request behind an auth request id, for a step that arrives from `origin`.
 * @param browserCookie the binding cookie of the browser, or null
 * @throws AuthError auth_request_unknown   not ours, expired, begun at another bind point or in another browser
 */
export function openAuthRequest(
  needs: { readonly sealer: AuthRequestSealer; readonly clock: Clock },
  authRequestId: string,
  origin: RequestOrigin,
  browserCookie: string | null,
): AuthRequest {
  const authRequest = needs.sealer.open(authRequestId, needs.clock.now());
  if (authRequest === undefined) throw new AuthError('auth_request_unknown');
  if (authRequest.issuer !== origin.issuer) {
    throw new AuthError('auth_request_unknown', { detail: 'the request was begun at another bind point' });
  }
  const { browserBinding } = authRequest;
  // A login that began in a browser continues in that browser only, whoever has learnt the id (RFC 9700 4.7).
  if (
    browserBinding !== null &&
    (browserCookie === null || !constantTimeEqual(sha256(browserCookie), browserBinding))
  ) {
    throw new AuthError('auth_request_unknown', {
      detail: 'the binding cookie is missing or another browser is used',
    });
  }
  return authRequest;
}
