// The refresh_token grant (RFC 6749 6, RFC 9700 4.14.2).

import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { TokenResponse } from '../model/tokens.ts';
import { type Millis, SECOND } from '../platform/clock.ts';
import { nextRefreshToken, readRefreshToken } from '../tokens/refresh-token.ts';
import { requireCertificateStillGood } from './certificate-session.ts';
import { type GrantNeeds, issueTokens, sessionEnd } from './issue-tokens.ts';
import { optional, required } from './parameters.ts';
import { sessionCertificate } from './session-certificate.ts';
import { requireGoodStanding } from './session-standing.ts';
import type { GrantRequest } from './token-endpoint.ts';

/** A client that sent the same request twice is refused the second time, but keeps its session. */
const duplicateWindow: Millis = 2 * SECOND;

/**
 * Replaces a refresh token by its successor and issues new tokens. The old one is dead when the answer leaves.
 * @throws AuthError invalid_request, invalid_scope, csr_not_acceptable (nothing is used up), invalid_grant for everything else alike
 */
export async function refreshTokens(needs: GrantNeeds, request: GrantRequest): Promise<TokenResponse> {
  const { parameters, client, origin, clientCertificates } = request;
  const presented = readRefreshToken(needs.tagKey, required(parameters, 'refresh_token'));
  if (presented === undefined) throw new AuthError('invalid_grant');
  const sessionId = asId<ApiSessionId>(presented.id);
  const session = await needs.store.apiSessions.find(sessionId);
  if (session === null) throw new AuthError('invalid_grant');
  const asked = narrowedScope(session, optional(parameters, 'scope'));
  const csrPem = optional(parameters, 'csr_pem');
  const key = csrPem === null ? null : needs.certificateIssuer.readRequest(csrPem);
  await requireGoodStanding(needs, session, origin);
  if (clientCertificates !== null) {
    await requireCertificateStillGood(needs, session, clientCertificates, origin);
  }

  const now = needs.clock.now();
  const next = nextRefreshToken(needs, presented);
  const nextExpiresAt = now + needs.lifetimes.refreshToken;
  const outcome = await needs.store.apiSessions.rotateRefreshToken({
    sessionId,
    presentedHash: presented.hash,
    presentedGeneration: presented.generation,
    clientId: client.clientId,
    issuer: origin.issuer,
    certThumbprint: clientCertificates?.leafThumbprint ?? null,
    nextHash: next.hash,
    nextExpiresAt,
    sessionExpiresAt: sessionEnd(needs.lifetimes, nextExpiresAt, now),
    ipAddress: origin.ipAddress,
    now,
    duplicateWindow,
  });

  if (outcome.outcome !== 'rotated') {
    const reason = outcome.outcome === 'reused' ? 'reused' : outcome.reason;
    needs.audit.record({ event: 'refresh.refused', reason, sessionId, clientId: client.clientId }, origin);
    throw new AuthError('invalid_grant', { detail: `refresh token refused: ${reason}` });
  }
  const { identity } = outcome;
  needs.audit.record(
    { event: 'token.refreshed', identityId: identity.id, sessionId, clientId: client.clientId },
    origin,
  );
  const sessionCert = await sessionCertificate(needs, outcome.session, key, origin, now);
  return issueTokens(
    needs,
    narrowed(outcome.session, asked),
    identity,
    { nonce: null, refreshToken: next.text, sessionCert },
    now,
  );
}

/** The scopes that the client asks to keep, or null for all. Checked before anything is used up. */
function narrowedScope(session: ApiSession, scope: string | null): readonly string[] | null {
  if (scope === null) return null;
  const asked = scope.split(' ');
  if (!asked.every((entry) => session.scopes.includes(entry))) throw new AuthError('invalid_scope');
  return asked;
}

/** This answer's tokens have the narrower scope; the refresh token keeps the original one (RFC 6749 6). */
function narrowed(session: ApiSession, asked: readonly string[] | null): ApiSession {
  return asked === null
    ? session
    : { ...session, scopes: session.scopes.filter((scope) => asked.includes(scope)) };
}
