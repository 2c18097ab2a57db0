import * as oauth from 'oauth4webapi';
import { isOutage, ProtocolError } from '../errors.ts';
import { textsOf } from '../json-members.ts';
import type { ProofKey } from './proof-key.ts';
import { type Provider, sending } from './provider.ts';

/** The result of a login. */
export interface Tokens {
  readonly accessToken: string;
  /** Milliseconds since 1970, by the clock of this computer. */
  readonly accessTokenExpiresAt: number;
  /** Its whole lifetime from when it was issued. Milliseconds. */
  readonly lifetime: number;
  readonly idToken: string;
  /** Null when the server issued none: nothing can be renewed. */
  readonly refreshToken: string | null;
  readonly identityId: string;
  /** What was proven, such as `password` and `totp`: the `amr` of the ID token. */
  readonly factors: readonly string[];
  /** The key that access and refresh token are bound to; undefined for bearer tokens. */
  readonly key?: ProofKey;
}

/**
 * The tokens in a successful answer of the token endpoint. Checks issuer, audience, authorized party, times and nonce
 * of the ID token.
 * @param read checks an answer to the grant used
 * @param requestedAt when the request was sent, so that a slow answer does not prolong a token
 * @throws ProtocolError id_token_invalid, answer_invalid
 * @see OIDC Core 3.1.3.7
 */
export async function tokensOf(
  provider: Provider,
  response: Response,
  read: (response: Response) => Promise<oauth.TokenEndpointResponse>,
  requestedAt: number,
): Promise<Tokens> {
  const answer = await read(response).catch((error) => {
    const isOfIdToken =
      error instanceof Error && 'code' in error && /JWT|CLAIM|TIMESTAMP/.test(String(error.code));
    throw new ProtocolError(
      isOfIdToken ? 'id_token_invalid' : 'answer_invalid',
      `${isOfIdToken ? 'The ID token is not for this login' : 'The answer of the token endpoint cannot be used'}: ${error.message}`,
      error,
    );
  });
  const { access_token: accessToken, id_token: idToken, expires_in: expiresIn } = answer;
  const claims = oauth.getValidatedIdTokenClaims(answer);
  if (idToken === undefined || claims === undefined || expiresIn === undefined) {
    throw new ProtocolError('answer_invalid', `${provider.origin} answered without tokens`);
  }
  const lifetime = expiresIn * 1000;
  return {
    accessToken,
    accessTokenExpiresAt: requestedAt + lifetime,
    lifetime,
    idToken,
    refreshToken: answer.refresh_token ?? null,
    identityId: claims.sub,
    factors: textsOf(claims.amr),
    // A server may answer with bearer tokens all the same.
    ...(provider.key !== undefined && answer.token_type === 'dpop' ? { key: provider.key } : {}),
  };
}

/**
 * Verifies the signature of the ID token in an answer, with the provider's keys. If these cannot be fetched right now, TLS
 * has to do, which proved that the answer came from the token endpoint of the issuer (OIDC Core 3.1.3.7, step 6): what
 * was redeemed for the tokens is used up, so they would be lost.
 * @throws ProtocolError id_token_invalid
 */
export async function verifySignature(provider: Provider, response: Response): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(provider.metadata, response, sending(provider));
  } catch (error) {
    if (isOutage(error)) return;
    // A refusal concerns the keys.
    if (error instanceof Error && 'kind' in error) throw error;
    throw new ProtocolError('id_token_invalid', 'The signature of the ID token is not valid', error);
  }
}
