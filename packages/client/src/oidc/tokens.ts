import * as oauth from 'oauth4webapi';
import { ProtocolError } from '../errors.ts';
import { textsOf } from '../json-members.ts';
import { type Provider, sending } from './provider.ts';

/** What a login gives. */
export interface Tokens {
  readonly accessToken: string;
  /** Milliseconds since 1970, by the clock of this computer. */
  readonly accessTokenExpiresAt: number;
  /** How long it lives from when it was issued. Milliseconds. */
  readonly lifetime: number;
  readonly idToken: string;
  /** Null when the server gave none: nothing can be renewed. */
  readonly refreshToken: string | null;
  readonly identityId: string;
  /** What was proven, such as `password` and `totp`: the `amr` of the ID token. */
  readonly factors: readonly string[];
}

/**
 * The tokens of a good answer of the token endpoint. Issuer, audience, authorized party, times and the nonce of the ID
 * token are checked.
 * @param read checks an answer of the grant that was asked for
 * @param requestedAt when the request left, so that a slow answer makes no token live longer
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
  };
}

/**
 * Verifies the signature of the ID token in an answer that was read, with the keys of the provider.
 * @throws ProtocolError id_token_invalid
 */
export async function verifySignature(provider: Provider, response: Response): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(provider.metadata, response, sending(provider));
  } catch (error) {
    // A refusal, or no answer, is about the keys.
    if (error instanceof Error && 'kind' in error) throw error;
    throw new ProtocolError('id_token_invalid', 'The signature of the ID token is not valid', error);
  }
}
