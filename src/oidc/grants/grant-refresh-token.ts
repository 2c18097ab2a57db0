// The refresh_token grant (RFC 6749 6, RFC 9700 4.14.2).

import type { TokenResponse } from '../../model/tokens.ts';
import { required } from '../parameters.ts';
import { type GrantNeeds, issueTokens } from './issue-tokens.ts';
import { requestedKey, sessionCertificate } from './session-certificate.ts';
import type { GrantRequest } from './token-endpoint.ts';
import {
  duplicateWindow,
  presentedRefreshToken,
  refreshRefused,
  useRefreshToken,
} from './use-refresh-token.ts';

/**
 * Replaces a refresh token by its successor and issues new tokens. The old one is dead when the answer leaves.
 * @throws AuthError invalid_request, invalid_scope, csr_not_acceptable (nothing is used up), invalid_grant for everything else alike
 */
export async function refreshTokens(needs: GrantNeeds, request: GrantRequest): Promise<TokenResponse> {
  const presented = presentedRefreshToken(needs, request, required(request.parameters, 'refresh_token'));
  // Nobody without a token of ours makes us verify a request.
  const key = requestedKey(needs, request);
  const used = await useRefreshToken(needs, request, presented, duplicateWindow);
  if (used.outcome === 'duplicate') throw refreshRefused(needs, request, used.session.id, 'duplicate');
  const { session, identity, next, now } = used;
  const sessionCert = await sessionCertificate(needs, session, key, request.origin, now);
  const extra = { nonce: null, refreshToken: next, sessionCert };
  return issueTokens(needs, request, session, identity, extra, now);
}
