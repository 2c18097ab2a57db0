// Token exchange (RFC 8693), as far as clients of the compatibility profile need it: they exchange one of their tokens
// for a newer one of the same session. There is no delegation or impersonation, and an exchanged token gives no more
// than the presented one: factors, scopes and the time of the login stay the same.

import type { RequestedKey } from '../../certificates/client-certificate-issuer.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { IdentityInTokens } from '../../model/entities/identity.ts';
import { type ExchangeResponse, type TokenType, tokenTypes } from '../../model/tokens.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { toSeconds } from '../../tokens/access-token.ts';
import type { Client } from '../clients.ts';
import { narrowed, narrowedScope, optional, required, valuesOf } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import {
  type GrantRequest,
  issueAccessToken,
  issueIdToken,
  issueRefreshToken,
  provenKey,
  requestedKey,
  sessionCertificate,
  tokenTypeOf,
} from './grant.ts';
import {
  continuedHere,
  duplicateWindow,
  presentedRefreshToken,
  provenThumbprint,
  refreshRefused,
  requireBound,
  requireStanding,
  useRefreshToken,
} from './use-refresh-token.ts';

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/**
 * Existing SDKs exchange a refresh token twice in a row: for new tokens, and then the replaced token for an ID token.
 * During this time the replaced token yields an ID token, and nothing else.
 */
const idTokenGrace: Millis = 10 * SECOND;

/** Whom the answer is about. */
interface Standing {
  readonly session: ApiSession;
  readonly identity: IdentityInTokens;
}

/**
 * @throws AuthError invalid_request   a parameter is missing, repeated or of a type that is not exchanged
 * @throws AuthError invalid_scope, csr_not_acceptable   nothing is used up
 * @throws AuthError invalid_grant     for everything else alike; RFC 8693 2.2.2 says invalid_request, but existing SDKs
 * take that for their own mistake and do not log in again
 */
export async function exchangeToken(needs: OidcServices, request: GrantRequest): Promise<ExchangeResponse> {
  const { parameters } = request;
  const subject = required(parameters, 'subject_token');
  const subjectType = required(parameters, 'subject_token_type');
  const requested = requestedType(optional(parameters, 'requested_token_type'));
  for (const name of ['actor_token', 'actor_token_type', 'resource', 'audience'])
    if (valuesOf(parameters, name).some((value) => value !== '')) throw unsupported(name);
  const asked = { subject, requested };
  if (subjectType === tokenTypes.refreshToken) return exchangeRefreshToken(needs, request, asked);
  if (subjectType === tokenTypes.accessToken) return exchangeAccessToken(needs, request, asked);
  throw unsupported('subject_token_type');
}

function requestedType(text: string | null): TokenType {
  if (text === null) return tokenTypes.refreshToken;
  const type = Object.values(tokenTypes).find((known) => known === text);
  if (type === undefined) throw unsupported('requested_token_type');
  return type;
}

function unsupported(parameter: string): AuthError {
  return new AuthError('invalid_request', { description: `this value of ${parameter} is not supported` });
}

/** The token that is presented and the type that is requested. */
interface Asked {
  readonly subject: string;
  readonly requested: TokenType;
}

async function exchangeRefreshToken(
  needs: OidcServices,
  request: GrantRequest,
  { subject, requested }: Asked,
): Promise<ExchangeResponse> {
  const presented = presentedRefreshToken(needs, request, subject);
  const key = requestedKey(needs, request);
  const wantsIdToken = requested === tokenTypes.idToken;
  const used = await useRefreshToken(needs, request, {
    presented,
    window: wantsIdToken ? idTokenGrace : duplicateWindow,
  });
  if (used.outcome === 'duplicate') {
    if (!wantsIdToken) throw refreshRefused(needs, request, { session: used.session, reason: 'duplicate' });
    return idTokenAnswer(needs, request.client, {
      standing: await standingOf(needs, used.session),
      now: needs.clock.now(),
    });
  }
  const { session, next, now } = used;
  const answer = wantsIdToken
    ? idTokenAnswer(needs, request.client, { standing: used, now })
    : await accessTokenAnswer(needs, request, { standing: used, granted: { requested, key }, now });
  return { ...answer, refresh_token: issueRefreshToken(needs, { secret: next, session }, now) };
}

/**
 * An access token yields an ID token and, for a session of a program without a refresh token, the next access token, for
 * as long after the login as a refresh token would last. A session with a refresh token continues with that, because its
 * reuse is noticed; one that a browser opened ends as those of other clients do.
 */
async function exchangeAccessToken(
  needs: OidcServices,
  request: GrantRequest,
  { subject, requested }: Asked,
): Promise<ExchangeResponse> {
  const { client, parameters, origin } = request;
  const now = needs.clock.now();
  const access = needs.accessTokens.verify(subject, now);
  if (access.verdict !== 'valid') throw new AuthError('invalid_grant');
  const key = requestedKey(needs, request);
  const sessionId = access.claims.z_asid;
  const found = await needs.store.apiSessions.find(sessionId);
  if (found === null) throw new AuthError('invalid_grant');
  const stored = continuedHere(needs, request, found);
  const granted = narrowed(client, stored, access.claims.scope.split(' '));
  const scopes = narrowedScope(client, granted, optional(parameters, 'scope'));
  await requireStanding(needs, stored, request);
  const keyThumbprint = await provenKey(needs, request, { owner: stored.identityId });
  const { jkt = null } = access.claims.cnf ?? {};
  if (jkt !== null && jkt !== keyThumbprint)
    throw refreshRefused(needs, request, { session: stored, reason: 'wrong-key' });
  await requireBound(needs, request, { session: stored, key: keyThumbprint });
  const session = { ...narrowed(client, granted, scopes), keyThumbprint };

  const wantsIdToken = requested === tokenTypes.idToken;
  const isRenewable = stored.openedByProgram && !stored.scopes.includes('offline_access');
  if (!wantsIdToken && (!isRenewable || now >= stored.createdAt + needs.lifetimes.refreshToken))
    throw new AuthError('invalid_grant', { detail: 'an access token is not renewed in this session' });
  const renewed = await needs.store.apiSessions.renew({
    sessionId,
    clientId: client.clientId,
    issuer: origin.issuer,
    certThumbprint: provenThumbprint(stored, request),
    keyThumbprint,
    expiresAt: wantsIdToken ? null : now + needs.lifetimes.accessToken,
    ipAddress: origin.ipAddress,
    now,
  });
  if (renewed === null) throw refreshRefused(needs, request, { session, reason: 'ended-or-bound' });
  const standing = { session, identity: renewed.identity };
  if (wantsIdToken) return idTokenAnswer(needs, client, { standing, now });
  needs.audit.record(
    { event: 'token.refreshed', identityId: renewed.identity.id, sessionId, clientId: client.clientId },
    origin,
  );
  return accessTokenAnswer(needs, request, {
    standing,
    granted: { requested: tokenTypes.accessToken, key },
    now,
  });
}

/** @throws AuthError invalid_grant   the identity is disabled or gone */
async function standingOf(needs: OidcServices, session: ApiSession): Promise<Standing> {
  const account = await needs.view.accounts.find(session.identityId, needs.clock.now());
  if (account === null) throw new AuthError('invalid_grant', { detail: 'the identity cannot be used' });
  return { session, identity: account.identity };
}

async function accessTokenAnswer(
  needs: OidcServices,
  request: GrantRequest,
  {
    standing: { session, identity },
    granted: { requested, key },
    now,
  }: { standing: Standing; granted: { requested: TokenType; key: RequestedKey | null }; now: Millis },
): Promise<ExchangeResponse> {
  const certificate = await sessionCertificate(needs, { session, key, origin: request.origin }, now);
  return {
    access_token: issueAccessToken(needs, request, { session, identity, now }),
    issued_token_type: requested,
    token_type: tokenTypeOf(session),
    expires_in: toSeconds(needs.lifetimes.accessToken),
    scope: session.scopes.join(' '),
    ...(certificate === null ? {} : { session_cert: certificate }),
  };
}

function idTokenAnswer(
  needs: OidcServices,
  client: Client,
  { standing, now }: { standing: Standing; now: Millis },
): ExchangeResponse {
  return {
    access_token: issueIdToken(needs, client, { ...standing, now, accessToken: null, nonce: null }),
    issued_token_type: tokenTypes.idToken,
    token_type: 'N_A',
    expires_in: toSeconds(needs.lifetimes.idToken),
    scope: standing.session.scopes.join(' '),
  };
}
