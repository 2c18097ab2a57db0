// The token endpoint (RFC 6749 3.2): phases that every grant shares, then the grant. A new grant is a new entry of the
// table and cannot skip a phase.

import { AuthError, recordingClient } from '../../errors/auth-error.ts';
import type { ExchangeResponse, TokenResponse } from '../../model/tokens.ts';
import { type ClientProfile, type ClientRegistry, issuingRulesOf } from '../clients.ts';
import { required, resourcesOf } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import { authenticateClient } from './authenticate-client.ts';
import type { GrantRequest, TokenRequest } from './grant.ts';
import { redeemAuthorizationCode } from './grant-authorization-code.ts';
import { deviceCodeGrant, redeemDeviceCode } from './grant-device-code.ts';
import { exchangeToken, tokenExchangeGrant } from './grant-token-exchange.ts';
import { refreshTokens } from './use-refresh-token.ts';

interface Grant {
  readonly grantType: string;
  /** The profile that a client needs to use it; null: every client may use it. */
  readonly onlyFor: ClientProfile | null;
  readonly issue: (needs: OidcServices, request: GrantRequest) => Promise<TokenResponse | ExchangeResponse>;
}

const grants: readonly Grant[] = [
  { grantType: 'authorization_code', onlyFor: null, issue: redeemAuthorizationCode },
  { grantType: 'refresh_token', onlyFor: null, issue: refreshTokens },
  { grantType: deviceCodeGrant, onlyFor: null, issue: redeemDeviceCode },
  { grantType: tokenExchangeGrant, onlyFor: 'compatibility', issue: exchangeToken },
];

/** The grant types that some client may use, for the discovery document. */
export function grantTypes(clients: ClientRegistry): readonly string[] {
  return grants
    .filter(({ onlyFor }) => onlyFor !== 'compatibility' || clients.aliasIds.size > 0)
    .map(({ grantType }) => grantType);
}

/**
 * Answers a token request.
 * @throws AuthError unsupported_grant_type   no client may use this grant here
 * @throws AuthError unauthorized_client      other clients may use it, this one may not (RFC 6749 section 5.2)
 * @throws AuthError invalid_request, invalid_client, client_not_authenticated, invalid_target, and those of the grant
 */
export async function exchangeForTokens(
  needs: OidcServices,
  { basic, ...request }: TokenRequest,
): Promise<TokenResponse | ExchangeResponse> {
  const { parameters } = request;
  const grantType = required(parameters, 'grant_type');
  const { issuer } = request.origin;
  const client = await authenticateClient(needs, { parameters, basic, issuer, proof: request.proof });
  return recordingClient(client.clientId, async () => {
    const grant = grants.find((known) => known.grantType === grantType);
    if (grant === undefined || !grantTypes(needs.clients).includes(grantType))
      throw new AuthError('unsupported_grant_type');
    if (grant.onlyFor !== null && grant.onlyFor !== client.profile)
      throw new AuthError('unauthorized_client');
    const resources = resourcesOf(client, parameters);
    if (resources === undefined) throw new AuthError('invalid_target');
    return grant.issue({ ...needs, ...issuingRulesOf(client, needs) }, { ...request, client, resources });
  });
}
