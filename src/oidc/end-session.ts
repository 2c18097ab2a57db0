// RP-initiated logout: ends the one session that the ID token hint names.

import { AuthError } from '../errors/auth-error.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';
import { readIdTokenHint } from '../tokens/id-token.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { type ClientRegistry, postLogoutUrisOf } from './clients.ts';
import type { OidcBindPoint } from './flow/authorization-request.ts';
import { optional, type Parameters } from './parameters.ts';
import { isRegisteredRedirectUri, withParameters } from './redirect-uri.ts';

/**
 * `nothing`: no hint was given, so no session was named and none was ended. `ask`: an application names itself and where
 * to go on, but no session; the person is asked before anybody is sent there.
 */
export type LogoutResult =
  | { readonly kind: 'redirect'; readonly location: string }
  | {
      readonly kind: 'ask';
      readonly clientId: string;
      readonly redirectUri: string;
      readonly state: string | null;
    }
  | { readonly kind: 'signed-out' | 'nothing' };

export interface LogoutRequest {
  readonly parameters: Parameters;
  /** Whether the person has agreed, on a page of ours. */
  readonly isAgreed: boolean;
}

const maxStateLength = 4096;

/**
 * Everything is checked before anything is ended; a redirect happens only to a registered URI, and only with a valid hint
 * or once the person has agreed (OIDC RP-Initiated Logout 1.0, 2 and 3). An expired hint is valid.
 * @throws AuthError invalid_request   hint not ours or of another client, URI not registered, parameter repeated
 */
export async function endSession(
  needs: {
    readonly store: { readonly apiSessions: ApiSessionStore };
    readonly clients: ClientRegistry;
    readonly ring: KeyRing;
    readonly clock: Clock;
    readonly audit: AuditTrail;
  },
  bindPoint: OidcBindPoint,
  { parameters, isAgreed }: LogoutRequest,
  origin: RequestOrigin,
): Promise<LogoutResult> {
  const hintText = optional(parameters, 'id_token_hint');
  const clientId = optional(parameters, 'client_id');
  const redirectUri = optional(parameters, 'post_logout_redirect_uri');
  const state = optional(parameters, 'state');
  if (state !== null && state.length > maxStateLength) {
    throw new AuthError('invalid_request', { description: 'state is too long' });
  }
  if (hintText === null) {
    if (redirectUri === null) return { kind: 'nothing' };
    return withoutHint(needs, bindPoint, { clientId, redirectUri, state }, isAgreed);
  }

  const now = needs.clock.now();
  const hint = readIdTokenHint(needs.ring, hintText, now);
  if (hint === undefined || hint.iss !== bindPoint.issuer || (clientId !== null && clientId !== hint.aud)) {
    throw new AuthError('invalid_request', { description: 'the id_token_hint is not valid here' });
  }
  if (redirectUri !== null) requirePostLogoutUri(needs.clients, hint.aud, bindPoint, redirectUri);

  const sessionId = asId<ApiSessionId>(hint.sid);
  if (await needs.store.apiSessions.end(sessionId, 'logout', now)) {
    needs.audit.record(
      { event: 'session.ended', sessionId, reason: 'logout', byIdentityId: hint.sub },
      origin,
    );
  }
  if (redirectUri === null) return { kind: 'signed-out' };
  return { kind: 'redirect', location: withState(redirectUri, state) };
}

/** @throws AuthError invalid_request   no client is named, or the URI is not registered for it */
function withoutHint(
  { clients }: { readonly clients: ClientRegistry },
  bindPoint: OidcBindPoint,
  asked: { readonly clientId: string | null; readonly redirectUri: string; readonly state: string | null },
  isAgreed: boolean,
): LogoutResult {
  const { clientId, redirectUri, state } = asked;
  if (clientId === null) {
    throw new AuthError('invalid_request', {
      description: 'a redirect after logout needs an id_token_hint or a client_id',
    });
  }
  requirePostLogoutUri(clients, clientId, bindPoint, redirectUri);
  return isAgreed
    ? { kind: 'redirect', location: withState(redirectUri, state) }
    : { kind: 'ask', clientId, redirectUri, state };
}

function requirePostLogoutUri(
  clients: ClientRegistry,
  clientId: string,
  bindPoint: OidcBindPoint,
  redirectUri: string,
): void {
  const client = clients.find(clientId);
  if (client === undefined) throw new AuthError('invalid_client');
  if (isRegisteredRedirectUri(postLogoutUrisOf(client, bindPoint.postLogoutUris), redirectUri)) return;
  throw new AuthError('invalid_request', { description: 'the post_logout_redirect_uri is not registered' });
}

function withState(redirectUri: string, state: string | null): string {
  return state === null ? redirectUri : withParameters(redirectUri, [['state', state]]);
}
