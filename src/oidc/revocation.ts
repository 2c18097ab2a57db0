// Token revocation (RFC 7009). A refresh or access token ends its session, and so every token of that session.

import type { RequestOrigin } from '../model/audit-event.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { AccessTokenVerifier } from '../tokens/access-token.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { readRefreshToken } from '../tokens/opaque-token.ts';
import { type Client, refreshTokenFormOf } from './clients.ts';
import { authenticateClient, type BasicCredentials } from './grants/authenticate-client.ts';
import { type Parameters, required } from './parameters.ts';
import type { OidcServices } from './services.ts';

/**
 * Resolves alike for tokens that were live, dead, foreign or of another client (RFC 7009 2.2): the answer must not tell
 * which. If the store fails, this throws.
 * @throws AuthError invalid_request, invalid_client, client_not_authenticated
 */
export async function revokeToken(
  needs: OidcServices,
  { parameters, basic }: { parameters: Parameters; basic: BasicCredentials | null },
  origin: RequestOrigin,
): Promise<void> {
  const { issuer } = origin;
  const client = await authenticateClient(needs, { parameters, basic, issuer });
  const token = required(parameters, 'token');
  const now = needs.clock.now();
  const sessionId = sessionOf(needs, { client, token }, now);
  if (sessionId === undefined) return;
  const session = await needs.store.apiSessions.find(sessionId);
  if (session === null || session.clientId !== client.clientId) return;
  if (await needs.store.apiSessions.end(sessionId, 'revoked', now))
    needs.audit.record(
      { event: 'session.ended', sessionId, reason: 'revoked', byIdentityId: session.identityId },
      origin,
    );
}

function sessionOf(
  needs: { accessTokens: AccessTokenVerifier; ring: KeyRing; tagKey: Buffer },
  { client, token }: { client: Client; token: string },
  now: number,
): ApiSessionId | undefined {
  const refresh = readRefreshToken(needs, { form: refreshTokenFormOf(client), text: token }, now);
  if (refresh !== undefined) return asId(refresh.id);
  const access = needs.accessTokens.verify(token, now);
  return access.verdict === 'valid' ? access.claims.z_asid : undefined;
}
