// Renewing tokens after a login, and ending them.

import * as oauth from 'oauth4webapi';
import { isTemporary, ProtocolError, refusalOf } from '../errors.ts';
import { clientOf, type Provider, sending, withKey } from './provider.ts';
import { type Tokens, tokensOf } from './tokens.ts';

/**
 * Exchanges a refresh token, which uses it up. The caller has to ensure that no other code does so with the same token,
 * as `openSession` does.
 * @throws Refusal `invalid_grant` when the server no longer accepts the token
 * @throws ProtocolError subject_changed, id_token_invalid, answer_invalid
 * @see OIDC Core 12.2
 */
export async function refreshTokens(
  unbound: Provider,
  { refreshToken, identityId, key }: Pick<Tokens, 'identityId' | 'key'> & { readonly refreshToken: string },
): Promise<Tokens> {
  const provider = withKey(unbound, key);
  const { metadata, now } = provider;
  const client = clientOf(provider);
  const requestedAt = now();
  const response = await oauth.refreshTokenGrantRequest(
    metadata,
    client,
    oauth.None(),
    refreshToken,
    sending(provider),
  );
  const tokens = await tokensOf(
    provider,
    response,
    (answer) => oauth.processRefreshTokenResponse(metadata, client, answer),
    requestedAt,
  );
  if (tokens.identityId !== identityId) {
    throw new ProtocolError('subject_changed', 'The server answered with tokens of another identity');
  }
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
}

/**
 * Ends a session at the server, with all its tokens. Returns whether the server confirmed it.
 * @throws Unreachable
 * @throws Refusal when the server cannot do it right now: the session continues, so its tokens must be kept
 */
export async function endSession(
  provider: Provider,
  { idToken, refreshToken }: Pick<Tokens, 'idToken' | 'refreshToken'>,
): Promise<boolean> {
  const { end_session_endpoint: endpoint, revocation_endpoint: revocation } = provider.metadata;
  if (endpoint !== undefined && (await post(provider, endpoint, { id_token_hint: idToken }))) return true;
  if (revocation === undefined || refreshToken === null) return false;
  return post(provider, revocation, { token: refreshToken, token_type_hint: 'refresh_token' });
}

async function post(
  { transport, clientId }: Provider,
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<boolean> {
  const body = new URLSearchParams({ ...form, client_id: clientId });
  const response = await transport(
    new Request(endpoint, { method: 'POST', body, redirect: 'manual', credentials: 'omit' }),
  );
  if (isTemporary(response.status)) throw await refusalOf(response);
  return response.type === 'opaqueredirect' || (response.status > 0 && response.status < 400);
}
