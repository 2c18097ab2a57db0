// RP-initiated logout: ends the one session that the ID token hint names.

import { AuthError } from '../errors/auth-error.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { BrowserSession } from '../model/browser-session.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import { quoted } from '../platform/formats/quoted.ts';
import { readIdTokenHint } from '../tokens/id-token.ts';
import { type ClientRegistry, postLogoutUrisOf, requireClient } from './clients.ts';
import type { OidcBindPoint } from './flow/authorization-request.ts';
import { optional, type Parameters } from './parameters.ts';
import { isRegisteredRedirectUri, withParameters } from './redirect-uri.ts';
import type { OidcServices } from './services.ts';

/**
 * `nothing`: there was no hint, so no session was named or ended. `ask`: nothing proves that the person wants to sign
 * out, or to be sent where an application says, so a page asks them first.
 */
export type LogoutResult =
  | {
      readonly kind: 'signed-out';
      /** Where the browser continues; null: nowhere. */
      readonly location: string | null;
      /** Whether the browser has no session any more. */
      readonly leavesBrowser: boolean;
    }
  | {
      readonly kind: 'ask';
      /** Where to continue; null: nowhere. */
      readonly to: LogoutTarget | null;
    }
  | { readonly kind: 'nothing' };

export interface LogoutTarget {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
}

export interface LogoutRequest {
  readonly parameters: Parameters;
  /** Whether the person has agreed on one of our pages. */
  readonly isAgreed: boolean;
  /** The session of this browser, if a person is signed in. */
  readonly browserSession: Pick<BrowserSession, 'id' | 'progress'> | null;
}

const maxStateLength = 4096;

/**
 * Everything is checked before anything is ended. It redirects only to a registered URI, and only with a valid hint or
 * after the person has agreed (OIDC RP-Initiated Logout 1.0, 2 and 3). An expired hint is valid.
 * @throws AuthError invalid_request   hint not ours or of another client, URI not registered, parameter repeated
 * @throws AuthError invalid_client    the client to return to does not exist
 */
export async function endSession(
  needs: OidcServices,
  request: LogoutRequest,
  { bindPoint, origin }: { bindPoint: OidcBindPoint; origin: RequestOrigin },
): Promise<LogoutResult> {
  const { parameters, browserSession } = request;
  const hintText = optional(parameters, 'id_token_hint');
  const clientId = optional(parameters, 'client_id');
  const redirectUri = optional(parameters, 'post_logout_redirect_uri');
  const state = optional(parameters, 'state');
  if (state !== null && state.length > maxStateLength)
    throw new AuthError('invalid_request', { description: 'state is too long' });
  if (hintText === null) {
    if (redirectUri === null && browserSession === null) return { kind: 'nothing' };
    const to =
      redirectUri === null ? null : requireTarget(needs, bindPoint, { clientId, redirectUri, state });
    if (!request.isAgreed) return { kind: 'ask', to };
    await endBrowserSession(needs, browserSession, origin);
    const location = to === null ? null : withState(to.redirectUri, to.state);
    return { kind: 'signed-out', location, leavesBrowser: browserSession !== null };
  }

  const now = needs.clock.now();
  const hint = readIdTokenHint(needs.ring, hintText, now);
  if (hint === undefined || hint.iss !== bindPoint.issuer || (clientId !== null && clientId !== hint.aud))
    throw new AuthError('invalid_request', { description: 'the id_token_hint is not valid here' });
  if (redirectUri !== null)
    requirePostLogoutUri(needs.clients, bindPoint, { clientId: hint.aud, redirectUri });

  const sessionId = asId<ApiSessionId>(hint.sid);
  if (await needs.store.apiSessions.end(sessionId, 'logout', now))
    needs.audit.record(
      { event: 'session.ended', sessionId, reason: 'logout', byIdentityId: hint.sub },
      origin,
    );
  // The hint says nothing about another person in this browser.
  const leavesBrowser = browserSession?.progress.identityId === hint.sub;
  if (leavesBrowser) await endBrowserSession(needs, browserSession, origin);
  const location = redirectUri === null ? null : withState(redirectUri, state);
  return { kind: 'signed-out', location, leavesBrowser };
}

async function endBrowserSession(
  { store, audit, clock }: OidcServices,
  session: LogoutRequest['browserSession'],
  origin: RequestOrigin,
): Promise<void> {
  if (session === null || !(await store.browserSessions.end(session.id, clock.now()))) return;
  const ended = {
    browserSessionId: session.id,
    reason: 'logout',
    byIdentityId: session.progress.identityId,
  } as const;
  audit.record({ event: 'browser-session.ended', ...ended }, origin);
}

/** @throws AuthError invalid_request   no client is named, or the URI is not registered for it */
function requireTarget(
  { clients }: { clients: ClientRegistry },
  bindPoint: OidcBindPoint,
  { clientId, redirectUri, state }: Omit<LogoutTarget, 'clientId'> & { clientId: string | null },
): LogoutTarget {
  if (clientId === null)
    throw new AuthError('invalid_request', {
      description: 'a redirect after logout needs an id_token_hint or a client_id',
    });
  requirePostLogoutUri(clients, bindPoint, { clientId, redirectUri });
  return { clientId, redirectUri, state };
}

function requirePostLogoutUri(
  clients: ClientRegistry,
  bindPoint: OidcBindPoint,
  { clientId, redirectUri }: { clientId: string; redirectUri: string },
): void {
  const client = requireClient(clients, clientId);
  if (isRegisteredRedirectUri(postLogoutUrisOf(client, bindPoint.postLogoutUris), redirectUri)) return;
  throw new AuthError('invalid_request', {
    description: 'the post_logout_redirect_uri is not registered',
    seen: { client: clientId, facts: [['post_logout_redirect_uri', quoted(redirectUri)]] },
  });
}

function withState(redirectUri: string, state: string | null): string {
  return state === null ? redirectUri : withParameters(redirectUri, [['state', state]]);
}
