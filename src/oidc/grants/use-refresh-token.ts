// Uses up a refresh token, in the same way for every grant that takes one (RFC 9700 4.14.2): the client that presents
// the live token replaces it, and administrators' changes since the login apply at once.

import { AuthError, type GrantReason } from '../../errors/auth-error.ts';
import { wouldStillOpen } from '../../login/certificate/certificate.ts';
import { standingObjection } from '../../login/standing.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { IdentityInTokens } from '../../model/entities/identity.ts';
import { type ApiSessionId, asId } from '../../model/ids.ts';
import type { TokenResponse } from '../../model/tokens.ts';
import { MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import type { RotateOutcome } from '../../store/contracts/api-sessions.ts';
import {
  nextRefreshToken,
  type OpaqueToken,
  type RefreshSecret,
  readRefreshToken,
  refreshSecretIn,
} from '../../tokens/opaque-token.ts';
import {
  type Client,
  clientObjection,
  isAuthenticated,
  mayRefresh,
  refreshTokenFormOf,
  rotatesRefreshTokens,
} from '../clients.ts';
import { narrowed, narrowedScope, optional, required, resourcesWithin } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import {
  type GrantRequest,
  issueTokens,
  keyObjection,
  patienceLeft,
  provenKey,
  requestedKey,
  sessionCertificate,
  sessionEnd,
} from './grant.ts';

/** A client that sent the same request twice is refused the second time, but keeps its session. */
export const duplicateWindow: Millis = 2 * SECOND;

/** A refresh token with our tag that a client sent. `text` is its secret, without the JWT around it. */
export type PresentedRefreshToken = OpaqueToken & { readonly text: string };

export type UsedRefreshToken =
  | {
      readonly outcome: 'replaced';
      /** With the requested scopes. */
      readonly session: ApiSession;
      readonly identity: IdentityInTokens;
      readonly next: RefreshSecret;
      readonly now: Millis;
    }
  /** The direct predecessor of the live token, from the same sender, within the window: nothing was used up. */
  | { readonly outcome: 'duplicate'; readonly session: ApiSession };

/**
 * A refresh token with our tag. Whether it is alive is not known yet.
 * @throws AuthError invalid_grant
 */
export function presentedRefreshToken(
  needs: OidcServices,
  { client }: Pick<GrantRequest, 'client'>,
  text: string,
): PresentedRefreshToken {
  const presented = readRefreshToken(needs, { form: refreshTokenFormOf(client), text }, needs.clock.now());
  if (presented === undefined)
    throw new AuthError('invalid_grant', { detail: 'refresh refused: not a refresh token of this service' });
  return { ...presented, text: refreshSecretIn(refreshTokenFormOf(client), text) };
}

/**
 * Replaces a refresh token by its successor. The old one no longer works when this resolves.
 * @param window within it, the direct predecessor from the same sender does not end the session
 * @throws AuthError invalid_request, invalid_scope, invalid_target, unavailable (nothing is used up), invalid_grant for everything else alike
 */
export async function useRefreshToken(
  needs: OidcServices,
  request: GrantRequest,
  { presented, window }: { presented: PresentedRefreshToken; window: Millis },
): Promise<UsedRefreshToken> {
  const { parameters, client, origin } = request;
  const sessionId = asId<ApiSessionId>(presented.id);
  const remembered = needs.view.refreshed.get(sessionId);
  const session = continuedHere(needs, request, remembered ?? (await storedSession(needs, sessionId)));
  if (!mayRefresh(client))
    throw new AuthError('invalid_grant', { detail: 'offline_access was taken from the client' });
  resourcesWithin(client, session.resources, request.resources);
  const asked = narrowedScope(client, session, optional(parameters, 'scope'));
  await requireStanding(needs, session, request);
  const key = await provenKey(needs, request, { owner: session.identityId, needsNonce: true });
  await requireBound(needs, request, { session, key });

  const now = needs.clock.now();
  const retryGrace = Math.max(needs.retryGrace[client.profile], graceOfTab(session));
  const form = refreshTokenFormOf(client);
  const next = rotatesRefreshTokens(client)
    ? nextRefreshToken(needs, presented, { form, retriedText: retryGrace === 0 ? null : presented.text })
    : { ...presented, form };
  const nextExpiresAt = now + needs.lifetimes.refreshToken;
  const outcome = await needs.store.apiSessions.rotateRefreshToken({
    sessionId,
    presentedHash: presented.hash,
    presentedGeneration: presented.generation,
    clientId: client.clientId,
    issuer: origin.issuer,
    certThumbprint: provenThumbprint(session, request),
    keyThumbprint: keyFor(session, client, key),
    nextHash: next.hash,
    nextGeneration: next.generation,
    nextExpiresAt,
    sessionExpiresAt: sessionEnd(needs.lifetimes, nextExpiresAt, now),
    ipAddress: origin.ipAddress,
    now,
    duplicateWindow: window,
    retryGrace,
    within: patienceLeft(needs.clock, request.arrivedAt),
  });

  if (outcome.outcome === 'rotated' || outcome.outcome === 'repeated') {
    needs.audit.record(
      { event: 'token.refreshed', identityId: outcome.identity.id, sessionId, clientId: client.clientId },
      origin,
    );
    if (remembered !== session) needs.view.refreshed.set(sessionId, session);
    const current = { ...withNews(session, outcome), keyThumbprint: key };
    const rotated = narrowed(client, current, asked);
    return { outcome: 'replaced', session: rotated, identity: outcome.identity, next, now };
  }
  const reason = outcome.outcome === 'reused' ? 'reused' : outcome.reason;
  if (reason === 'duplicate') return { outcome: 'duplicate', session: narrowed(client, session, asked) };
  // The reason of its end is not remembered.
  needs.view.refreshed.delete(sessionId);
  const refused = remembered === undefined ? session : await storedSession(needs, sessionId);
  throw refreshRefused(needs, request, { session: refused, reason });
}

/** @throws AuthError invalid_grant   the row is deleted, as when the last of its tokens has expired */
async function storedSession({ store }: OidcServices, id: ApiSessionId): Promise<ApiSession> {
  const stored = await store.apiSessions.find(id);
  if (stored === null) throw noLongerGood('expired', 'unknown');
  return stored;
}

/**
 * How long a tab may retry whose answer was lost, as when the person closes it or reloads. Only with the key of the
 * session, so a thief of the token alone gains nothing.
 */
function graceOfTab({ keyThumbprint, openedByProgram }: ApiSession): Millis {
  return keyThumbprint !== null && !openedByProgram ? MINUTE : 0;
}

/**
 * The session as it continues at this address. Existing SDKs move to another node of the cluster and go on there, so
 * theirs gets the issuer of that node. Other clients would have to refuse tokens of another issuer (OIDC Core 12.2).
 * @throws AuthError invalid_grant
 */
export function continuedHere(
  needs: Pick<OidcServices, 'issuers' | 'audit'>,
  request: GrantRequest,
  session: ApiSession,
): ApiSession {
  const { client, origin } = request;
  const { issuer } = origin;
  if (session.issuer === issuer) return session;
  // A bind point that is no longer there does not live on in its sessions.
  const mayMove = client.profile === 'compatibility' && needs.issuers.has(session.issuer);
  if (!mayMove) throw refreshRefused(needs, request, { session, reason: 'wrong-binding' });
  return { ...session, issuer };
}

/** SHA-256 of the certificate that the connection has, for a session that is bound to one; null for any other session. */
export function provenThumbprint(
  { certThumbprint }: ApiSession,
  { clientCertificates }: Pick<GrantRequest, 'clientCertificates'>,
): string | null {
  return certThumbprint === null ? null : (clientCertificates()?.leafThumbprint ?? null);
}

/**
 * The key that counts as that of a session: a client that authenticates may prove another one than before, because its
 * refresh tokens are worth nothing to others anyway (RFC 9449 5).
 */
export function keyFor({ keyThumbprint }: ApiSession, client: Client, proven: string | null): string | null {
  return proven !== null && isAuthenticated(client) ? keyThumbprint : proven;
}

/**
 * Refuses to continue a session without a key where one is demanded now. A proof alone does not help a public client:
 * a thief could continue such a session with its refresh token.
 * @throws AuthError invalid_grant
 */
export async function requireBound(
  needs: OidcServices,
  request: GrantRequest,
  { session, key }: { session: ApiSession; key: string | null },
): Promise<void> {
  const account = await needs.view.accounts.find(session.identityId, needs.clock.now());
  if (account === null) return;
  const { policy } = account;
  const isBound = session.keyThumbprint !== null || (key !== null && isAuthenticated(request.client));
  const refusal = keyObjection(needs, request, { session, policy, isBound });
  if (refusal === null) return;
  const { id: sessionId, clientId, identityId } = session;
  const event = { reason: 'dpop-required', sessionId, clientId, identityId };
  needs.audit.record({ event: 'refresh.refused', ...event }, request.origin);
  // The refresh token is no longer good for anything, which clients know by this code.
  throw new AuthError('invalid_grant', { description: refusal.description, cause: refusal });
}

/** Records why, and returns the refusal, which does not say why. */
export function refreshRefused(
  needs: Pick<OidcServices, 'audit'>,
  { client, origin }: GrantRequest,
  { session, reason }: { session: ApiSession; reason: string },
): AuthError {
  const { id: sessionId, identityId } = session;
  const { clientId } = client;
  needs.audit.record({ event: 'refresh.refused', reason, sessionId, clientId, identityId }, origin);
  const told = session.clientId === clientId ? toldReason(session, reason) : undefined;
  return noLongerGood(told, reason);
}

/** The reason that the client of one of our tokens may learn. */
function toldReason({ endReason }: ApiSession, reason: string): GrantReason | undefined {
  if (reason === 'expired' || reason === 'reused') return reason;
  if (reason === 'duplicate') return 'reused';
  if (reason === 'identity-unavailable') return 'revoked';
  if (reason !== 'ended') return undefined;
  return endReason === 'refresh-reuse' || endReason === 'code-reuse' ? 'reused' : 'revoked';
}

const descriptions: Readonly<Record<GrantReason, string>> = {
  expired: 'the refresh token has expired; log in again',
  revoked: 'the session of the refresh token has ended; log in again',
  reused: 'the refresh token has been used already; use its successor',
};

function noLongerGood(told: GrantReason | undefined, reason: string): AuthError {
  const detail = `refresh token refused: ${reason}`;
  if (told === undefined) return new AuthError('invalid_grant', { detail });
  return new AuthError('invalid_grant', { description: descriptions[told], reason: told, detail });
}

function withNews(
  session: ApiSession,
  outcome: Extract<RotateOutcome, { outcome: 'rotated' | 'repeated' }>,
): ApiSession {
  return outcome.outcome === 'rotated' ? { ...session, ...outcome.session } : session;
}

// The refresh_token grant (RFC 6749 6, RFC 9700 4.14.2).

/**
 * Replaces a refresh token by its successor and issues new tokens. The old one no longer works when the answer is sent.
 * @throws AuthError invalid_request, invalid_scope, csr_not_acceptable (nothing is used up), invalid_grant for everything else alike
 */
export async function refreshTokens(needs: OidcServices, request: GrantRequest): Promise<TokenResponse> {
  const presented = presentedRefreshToken(needs, request, required(request.parameters, 'refresh_token'));
  // Only a client with one of our tokens can make us verify a certificate request.
  const key = requestedKey(needs, request);
  const used = await useRefreshToken(needs, request, { presented, window: duplicateWindow });
  if (used.outcome === 'duplicate')
    throw refreshRefused(needs, request, { session: used.session, reason: 'duplicate' });
  const { session, identity, next, now } = used;
  const sessionCert = await sessionCertificate(needs, { session, key, origin: request.origin }, now);
  const tokens = { session, identity, now, nonce: null, refreshToken: next, sessionCert };
  return issueTokens(needs, request, tokens);
}

/**
 * Refuses to continue a session that would not be opened today. Reads memory, and the store for a certificate; uses
 * nothing up. Whether the identity is enabled is decided by the statement that rotates the token.
 * @throws AuthError invalid_grant
 */
export async function requireStanding(
  needs: OidcServices,
  session: ApiSession,
  request: Pick<GrantRequest, 'client' | 'clientCertificates' | 'origin'>,
): Promise<void> {
  const reason =
    (await certificateObjection(needs, session, request)) ?? (await objectionOf(needs, session, request));
  if (reason === null) return;
  const { id: sessionId, clientId, identityId } = session;
  needs.audit.record({ event: 'refresh.refused', reason, sessionId, clientId, identityId }, request.origin);
  throw new AuthError('invalid_grant', { detail: `refresh refused: ${reason}` });
}

async function objectionOf(
  needs: OidcServices,
  session: ApiSession,
  { client }: Pick<GrantRequest, 'client'>,
): Promise<string | null> {
  const account = await needs.view.accounts.find(session.identityId, needs.clock.now());
  if (account === null) return null;
  return clientObjection(client, account.identity) ?? standingObjection(needs.view, account, session);
}

/** Another certificate than the one that opened the session is refused by the store. */
async function certificateObjection(
  needs: OidcServices,
  session: ApiSession,
  { clientCertificates, origin }: Pick<GrantRequest, 'clientCertificates' | 'origin'>,
): Promise<'certificate' | null> {
  if (session.certThumbprint === null) return null;
  const certificates = clientCertificates();
  if (session.certThumbprint !== certificates?.leafThumbprint) return null;
  const { identityId, mechanism } = session;
  const presented = { chain: certificates.chain, identityId };
  return (await wouldStillOpen(needs, presented, { mechanism, origin })) ? null : 'certificate';
}
