// Authorization code with PKCE: beginning and completing a login.

import * as oauth from 'oauth4webapi';
import { ProtocolError, Refusal } from '../errors.ts';
import { clientOf, type Provider, sending, withNewKey } from './provider.ts';
import { type Tokens, tokensOf, verifySignature } from './tokens.ts';

/** What only the program that begins a login knows until it has the tokens. */
export interface LoginAttempt {
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly state: string;
  readonly nonce: string;
}

export interface AuthorizationOptions {
  /** Default: `openid offline_access`, which yields a refresh token. */
  readonly scope?: string;
  /** Hint at the primary method. */
  readonly method?: 'password' | 'cert' | 'ext-jwt';
  /** `login`: the person has to log in again. `none`: fail rather than ask anybody. */
  readonly prompt?: 'login' | 'none';
  /** How old an existing login may be. Seconds. */
  readonly maxAge?: number;
}

/** Fresh secrets, 256 bits each. @see RFC 7636 section 4.1 */
export function newLoginAttempt(redirectUri: string): LoginAttempt {
  return {
    redirectUri,
    codeVerifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  };
}

/** The address that begins a login. */
export async function authorizationUrl(
  { metadata, clientId }: Provider,
  attempt: LoginAttempt,
  options: AuthorizationOptions = {},
): Promise<URL> {
  const { scope = 'openid offline_access', method, prompt, maxAge } = options;
  const url = new URL(metadata.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: attempt.redirectUri,
    scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
    ...(method === undefined ? {} : { method }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
  }).toString();
  return url;
}

/** Whether an address is the redirect URI of the attempt, with an answer in its query. */
export function isRedirectOf({ redirectUri }: LoginAttempt, url: URL): boolean {
  const expected = new URL(redirectUri);
  return url.origin === expected.origin && url.pathname === expected.pathname;
}

/** Whether an answer belongs to the attempt, because anybody can call a redirect URI. */
export function hasStateOf({ state }: LoginAttempt, url: URL): boolean {
  return url.searchParams.get('state') === state;
}

/**
 * Redeems the code that a login returned with, for tokens bound to a new key if the provider binds them, and verifies
 * the ID token including its signature.
 * @param url the redirect URI with the answer in its query
 * @throws Refusal when the person or the server refused
 * @throws ProtocolError state_mismatch, issuer_mismatch, code_missing, id_token_invalid, answer_invalid
 * @see RFC 6749 section 4.1.2, RFC 9207 section 2.4, RFC 9700 section 4.4
 */
export async function finishLogin(unbound: Provider, attempt: LoginAttempt, url: URL): Promise<Tokens> {
  const parameters = answerOf(unbound, attempt, url);
  const provider = await withNewKey(unbound);
  const { metadata } = provider;
  const client = clientOf(provider);
  const requestedAt = provider.now();
  const response = await oauth.authorizationCodeGrantRequest(
    metadata,
    client,
    oauth.None(),
    parameters,
    attempt.redirectUri,
    attempt.codeVerifier,
    sending(provider),
  );
  const options = { expectedNonce: attempt.nonce, requireIdToken: true };
  const tokens = await tokensOf(
    provider,
    response,
    (answer) => oauth.processAuthorizationCodeResponse(metadata, client, answer, options),
    requestedAt,
  );
  await verifySignature(provider, response);
  return tokens;
}

/** The parameters of a successful answer. */
export function answerOf(provider: Provider, attempt: LoginAttempt, url: URL): URLSearchParams {
  const answer = url.searchParams;
  if (!hasStateOf(attempt, url)) {
    throw new ProtocolError('state_mismatch', 'The answer to the login belongs to another login');
  }
  if (answer.get('iss') !== provider.issuer) {
    throw new ProtocolError('issuer_mismatch', 'The answer to the login comes from another server');
  }
  const error = answer.get('error');
  if (error !== null) {
    throw new Refusal(answer.get('error_description') ?? error, { status: 302, code: error });
  }
  if (!answer.has('code')) {
    throw new ProtocolError('code_missing', 'The answer to the login holds no code');
  }
  try {
    return oauth.validateAuthResponse(provider.metadata, clientOf(provider), answer, attempt.state);
  } catch (cause) {
    throw new ProtocolError('answer_invalid', 'The answer to the login cannot be used', cause);
  }
}
