// The OpenID Connect client of the command line: discovery, authorization code with PKCE, refresh, logout.
// How a person proves who they are in between is login/'s business.

import { answerError, failureOf } from '../answer-failure.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { type AuthorizationAttempt, codeChallenge } from '../login/pkce.ts';
import type { HttpsAnswer, HttpsClient } from './https-client.ts';
import { asObject, numberField, textField } from './json-shape.ts';

export const clientId = 'overlay';
export const scope = 'openid offline_access';

/** The endpoints of an issuer, all of its origin. */
export interface Provider {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly deviceAuthorizationEndpoint: string | undefined;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | undefined;
  readonly endSessionEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  readonly introspectionEndpoint: string | undefined;
}

/** @see spec section 2.4 */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly idToken: string;
  readonly refreshToken: string | null;
  /** Lifetime of the access token, in seconds. */
  readonly expiresIn: number;
}

/** Hint at the primary method (spec 4.2). */
export type MethodHint = 'password' | 'cert' | 'ext-jwt';

/**
 * Reads the discovery document of the server at `origin`.
 * @throws CliError when there is none, or when it speaks for another origin: tokens must be verified against
 *   the address that was used to log in (spec 5.7, OIDC Discovery 4.3)
 */
export async function discover(http: HttpsClient, origin: string): Promise<Provider> {
  const url = new URL('/.well-known/openid-configuration', origin);
  const answer = await http.send({ method: 'GET', url });
  if (answer.status === 421) {
    throw new CliError(`The server was reached, but it does not go by the name in ${origin}.`, {
      code: 'server_name_mismatch',
      next: 'use the address that its operator configured, for example https://localhost:1280',
    });
  }
  const document = asObject(answer.body);
  const issuer = textField(document, 'issuer');
  if (answer.status !== 200 || issuer === undefined) {
    throw new CliError(
      `${origin} is not an Overlay Auth server with OpenID Connect (status ${answer.status}).`,
      {
        code: 'discovery_failed',
        next: 'check the address; the OpenID Connect provider may be on another listener',
      },
    );
  }
  if (URL.parse(issuer)?.origin !== origin) {
    throw new CliError(`${origin} announces itself as ${issuer}.`, {
      code: 'issuer_mismatch',
      next: `overlay-auth login ${issuer}`,
    });
  }
  const optionalEndpoint = (name: string) => {
    const value = textField(document, name);
    // Passwords and tokens go to these addresses: a document must not send them elsewhere.
    if (value !== undefined && URL.parse(value)?.origin !== origin) {
      throw new CliError(`The discovery document of ${origin} names an endpoint of another server.`, {
        code: 'discovery_failed',
        next: 'tell the operator of the server',
      });
    }
    return value;
  };
  const endpoint = (name: string) => {
    const value = optionalEndpoint(name);
    if (value !== undefined) return value;
    throw new CliError(`The discovery document of ${origin} lacks ${name}.`, { code: 'discovery_failed' });
  };
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    deviceAuthorizationEndpoint: optionalEndpoint('device_authorization_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    userinfoEndpoint: optionalEndpoint('userinfo_endpoint'),
    endSessionEndpoint: optionalEndpoint('end_session_endpoint'),
    revocationEndpoint: optionalEndpoint('revocation_endpoint'),
    introspectionEndpoint: optionalEndpoint('introspection_endpoint'),
  };
}

/** The address that begins a login (spec 4.2). */
export function authorizationUrl(
  provider: Provider,
  attempt: AuthorizationAttempt,
  redirectUri: string,
  method?: MethodHint,
): URL {
  const url = new URL(provider.authorizationEndpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: codeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
    ...(method === undefined ? {} : { method }),
  }).toString();
  return url;
}

/** Where an authorization request led. */
export type AuthorizationStart = {
  readonly redirectUri: string;
  /** The login page, with the auth request id in its query. */
  readonly loginUrl: URL;
};

/**
 * Begins an authorization request with the first redirect URI that the server allows.
 * @param redirectUris what the server may allow, in order of preference
 * @throws CliError when it allows none, or refuses the request
 */
export async function startAuthorization(
  http: HttpsClient,
  provider: Provider,
  attempt: AuthorizationAttempt,
  redirectUris: readonly string[],
  method?: MethodHint,
): Promise<AuthorizationStart> {
  let refused: CliError | undefined;
  for (const redirectUri of redirectUris) {
    const url = authorizationUrl(provider, attempt, redirectUri, method);
    const answer = await http.send({ method: 'GET', url });
    const { location } = answer.headers;
    if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
      const target = new URL(location, url);
      if (isCallback(target, redirectUri)) readCallback(provider, attempt, target);
      if (target.origin !== url.origin)
        throw new CliError(`${url.origin} leads the login to ${target.origin}.`);
      return { redirectUri, loginUrl: target };
    }
    refused = answerError(answer, { what: 'The login could not be started' });
    // An unknown redirect URI is answered on the spot (RFC 6749 4.1.2.1); another spelling may be allowed.
    if (answer.status !== 400) break;
  }
  throw refused ?? new CliError('The login could not be started.');
}

/** Whether an address is the redirect URI with an answer in its query. */
export function isCallback(url: URL, redirectUri: string): boolean {
  const expected = new URL(redirectUri);
  return url.origin === expected.origin && url.pathname === expected.pathname;
}

/** Whether the answer belongs to the attempt; anybody can call a loopback address. */
export function hasState(attempt: AuthorizationAttempt, url: URL): boolean {
  return url.searchParams.get('state') === attempt.state;
}

/**
 * The authorization code in the answer at the redirect URI.
 * @throws CliError exit 3 when the server refused the login; exit 1 for an answer that is not ours
 * @see RFC 6749 section 4.1.2, RFC 9207 section 2.4
 */
export function readCallback(provider: Provider, attempt: AuthorizationAttempt, url: URL): string {
  const answer = url.searchParams;
  if (!hasState(attempt, url)) {
    throw new CliError('The answer to the login belongs to another login.', { code: 'state_mismatch' });
  }
  if (answer.get('iss') !== provider.issuer) {
    throw new CliError('The answer to the login comes from another server.', { code: 'issuer_mismatch' });
  }
  const error = answer.get('error');
  if (error !== null) {
    throw new CliError(`The login was refused: ${answer.get('error_description') ?? error}.`, {
      exitCode: exitCodes.notAuthenticated,
      code: error,
      next: `overlay-auth login ${new URL(provider.issuer).origin}`,
    });
  }
  const code = answer.get('code');
  if (code === null) throw new CliError('The answer to the login holds no code.', { code: 'code_missing' });
  return code;
}

/** Redeems an authorization code (spec 4.5). The ID token in the answer is not verified yet. */
export function redeemCode(
  http: HttpsClient,
  provider: Provider,
  attempt: AuthorizationAttempt,
  redirectUri: string,
  code: string,
): Promise<TokenAnswer> {
  return requestTokens(http, provider.tokenEndpoint, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: attempt.codeVerifier,
  });
}

/**
 * Exchanges a refresh token, which is spent by this.
 * @throws CliError with code `invalid_grant` when the server does not accept the token any more
 */
export function refreshTokens(
  http: HttpsClient,
  tokenEndpoint: string,
  refreshToken: string,
): Promise<TokenAnswer> {
  return requestTokens(http, tokenEndpoint, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
  });
}

/** Ends the session that the ID token names; an expired one will do. Returns whether the server confirmed it. */
export async function endSession(http: HttpsClient, provider: Provider, idToken: string): Promise<boolean> {
  if (provider.endSessionEndpoint === undefined) return false;
  const answer = await http.send({
    method: 'POST',
    url: new URL(provider.endSessionEndpoint),
    form: { id_token_hint: idToken, client_id: clientId },
  });
  return answer.status < 400;
}

/** Revokes a refresh token (RFC 7009). Returns whether the server confirmed it. */
export async function revokeToken(
  http: HttpsClient,
  provider: Provider,
  refreshToken: string,
): Promise<boolean> {
  if (provider.revocationEndpoint === undefined) return false;
  const answer = await http.send({
    method: 'POST',
    url: new URL(provider.revocationEndpoint),
    form: { token: refreshToken, token_type_hint: 'refresh_token', client_id: clientId },
  });
  return answer.status === 200;
}

async function requestTokens(
  http: HttpsClient,
  tokenEndpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const answer = await http.send({ method: 'POST', url: new URL(tokenEndpoint), form });
  if (answer.status !== 200) {
    const isRefused = failureOf(answer).code === 'invalid_grant';
    throw answerError(answer, {
      what: 'No tokens were issued',
      ...(isRefused ? { exitCode: exitCodes.notAuthenticated } : {}),
    });
  }
  return readTokens(answer);
}

/** The tokens of a good answer of the token endpoint. @throws CliError when it has none */
export function readTokens(answer: HttpsAnswer): TokenAnswer {
  const body = asObject(answer.body);
  const accessToken = textField(body, 'access_token');
  const idToken = textField(body, 'id_token');
  const expiresIn = numberField(body, 'expires_in');
  if (accessToken === undefined || idToken === undefined || expiresIn === undefined) {
    throw new CliError('The token endpoint answered without tokens.', { code: 'token_answer_invalid' });
  }
  return { accessToken, idToken, refreshToken: textField(body, 'refresh_token') ?? null, expiresIn };
}
