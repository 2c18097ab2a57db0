import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { answerError } from '../answer-failure.ts';
import { CliError } from '../cli-error.ts';
import type { HttpsClient } from '../client/https-client.ts';
import { asList, asObject, textField } from '../client/json-shape.ts';
import { clientId, type Provider } from '../client/oidc-client.ts';

/** Who logged in, as the verified ID token says. */
export interface LoggedIn {
  readonly identityId: string;
  readonly amr: readonly string[];
}

/** A clock that is a little off must not stop anybody from logging in. */
const toleranceSeconds = 60;

/**
 * Verifies the ID token of a login: signature, issuer, audience, authorized party, times and nonce.
 * @param nonce null for a login that had none to send: that of a device
 * @throws CliError exit 1 when anything does not fit
 * @see OIDC Core 3.1.3.7
 */
export async function verifyIdToken(
  needs: { readonly http: HttpsClient; readonly clock: Clock },
  provider: Provider,
  idToken: string,
  nonce: string | null,
): Promise<LoggedIn> {
  const answer = await needs.http.send({ method: 'GET', url: new URL(provider.jwksUri) });
  if (answer.status !== 200) throw answerError(answer, { what: 'The keys of the server cannot be read' });
  let claims: JWTPayload;
  try {
    const keys = createLocalJWKSet(answer.body as JSONWebKeySet);
    const verified = await jwtVerify(idToken, keys, {
      issuer: provider.issuer,
      audience: clientId,
      algorithms: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
      requiredClaims: ['sub', 'exp', 'iat', ...(nonce === null ? [] : ['nonce'])],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(needs.clock.now()),
    });
    claims = verified.payload;
  } catch (error) {
    const why = error instanceof errors.JOSEError ? error.message : 'it cannot be read';
    throw notVerified(why, error);
  }
  if (nonce !== null && claims.nonce !== nonce) throw notVerified('it belongs to another login');
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw notVerified('it was issued to another client');
  const object = asObject(claims);
  return {
    identityId: textField(object, 'sub') ?? '',
    amr: asList(object.amr).filter((value) => typeof value === 'string'),
  };
}

/**
 * The name of who logged in, from userinfo; the id where that does not say, or is about somebody else (OIDC Core
 * 5.3.2). A name is only shown: without it the login is as good.
 * @param tokens the access token, and the external JWT that the policy asks for besides
 */
export async function nameOf(
  http: HttpsClient,
  { userinfoEndpoint }: Provider,
  tokens: readonly string[],
  identityId: string,
): Promise<string> {
  if (userinfoEndpoint === undefined) return identityId;
  const answer = await http.send({
    method: 'GET',
    url: new URL(userinfoEndpoint),
    headers: { authorization: tokens.map((token) => `Bearer ${token}`) },
  });
  const claims = asObject(answer.body);
  if (answer.status !== 200 || textField(claims, 'sub') !== identityId) return identityId;
  return textField(claims, 'name') ?? textField(claims, 'preferred_username') ?? identityId;
}

function notVerified(why: string, cause?: unknown): CliError {
  return new CliError(`The ID token is not valid: ${why}.`, {
    code: 'id_token_invalid',
    next: 'check that the clock of this computer is right, then log in again',
    cause,
  });
}
