// Assertions with which clients authenticate (RFC 7523, OIDC Core 9, private_key_jwt). The keys are the client's:
// registered with it, or fetched from its address through the one outbound client.

import { AuthError } from '../../errors/auth-error.ts';
import { type ForeignJwt, isNumericDate, readForeignJwt } from '../../login/external-jwt/foreign-jwt.ts';
import { fapiAlgorithms, isFapiClient } from '../../model/entities/oidc-client.ts';
import { HOUR, type Millis, SECOND } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import { readJwkSet } from '../../platform/jwk/jwk-set.ts';
import { foreignAlgorithms, isSignedBy, type VerificationKey } from '../../platform/jwk/jws-signature.ts';
import { keysOwner, type RegisteredClient } from '../../sessions/account-view.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import { optional, type Parameters } from '../parameters.ts';
import type { OidcServices } from '../services.ts';

/** Value of `client_assertion_type` (RFC 7523 2.2). */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The type of an assertion by a client that follows RFC 7523bis. */
const explicitType = 'client-authentication+jwt';
const types: ReadonlySet<string> = new Set([explicitType, 'jwt', 'jose']);

/** An assertion is for one request, and remembered for as long as it lives. Authlib lets each live for an hour. */
const longestLife: Millis = HOUR;
/** How far the clock of a client may be off. */
const leeway: Millis = 30 * SECOND;

/** The client that an assertion claims to be from; nothing is verified. */
export function subjectOf(assertion: string): string | undefined {
  const jwt = parsed(assertion);
  return typeof jwt?.claims.sub === 'string' ? jwt.claims.sub : undefined;
}

interface PresentedAssertion {
  readonly assertion: string;
  /** Of the bind point at which the request arrived. */
  readonly issuer: string;
  readonly parameters: Parameters;
  /** The proof of a key that is checked later; absent where none is. */
  readonly proof?: PresentedProof | null;
}

/**
 * Checks an assertion and uses it up: `iss` and `sub` are the client, `aud` names this server only, it expires soon, a
 * key of the client signed it, and its `jti` is new.
 * @throws AuthError client_not_authenticated   with the reason for the log
 * @throws AuthError use_dpop_nonce   the assertion is not used up: many clients sign only the proof again
 */
export async function requireAssertion(
  needs: OidcServices,
  client: RegisteredClient,
  { assertion, issuer, proof = null, parameters }: PresentedAssertion,
): Promise<void> {
  const jwt = parsed(assertion);
  if (jwt === undefined) throw refused('it cannot be read');
  const { claims, alg, type, kid } = jwt;
  const isFapi = isFapiClient(client);
  const algorithms: readonly string[] = isFapi ? fapiAlgorithms : foreignAlgorithms;
  if (!algorithms.includes(alg)) throw refused('its algorithm is not accepted');
  if (claims.iss !== client.id || claims.sub !== client.id)
    throw refused('iss and sub must be the client id');
  const { aud, exp, nbf, iat, jti } = claims;
  if (isFapi && aud !== issuer) throw refused('aud must be the issuer, as text and not in a list (FAPI 2.0)');
  const ours = [issuer, ...(type === explicitType ? [] : endpoints.map((name) => `${issuer}/${name}`))];
  if (!isForUs(aud, ours))
    throw refused(
      'aud must be the issuer (or an endpoint of it, without the type of RFC 7523bis), and nothing else',
    );
  if (typeof jti !== 'string' || jti === '' || jti.length > 512) throw refused('jti is missing');
  const now = needs.clock.now();
  if (!isNumericDate(exp)) throw refused('exp is missing');
  const expiresAt = Math.ceil(exp * SECOND);
  if (now >= expiresAt + leeway) throw refused('it has expired');
  if (expiresAt > now + longestLife + leeway) throw refused('it lives longer than an hour');
  for (const time of [nbf, iat])
    if (time !== undefined && !(isNumericDate(time) && time * SECOND <= now + leeway))
      throw refused('it is not valid yet');
  const isSigned = (keys: readonly VerificationKey[]) => keys.some((key) => isSignedBy(key, assertion, alg));
  const keys = await keysOf(needs, client, { kid });
  // The key may have been replaced under its kid: the address is asked once more, within the limits of the cache.
  if (!isSigned(keys) && !isSigned(await keysOf(needs, client, { kid, failed: keys[0] })))
    throw refused('no key of the client has signed it');
  const isRefresh = optional(parameters, 'grant_type') === 'refresh_token';
  const wanted = proof === null ? null : needs.proofs.wantsNonce(proof, isRefresh, now);
  if (wanted !== null) throw new AuthError('use_dpop_nonce', { description: wanted });
  const key = sha256(`${client.id}\0${jti}`);
  if (!(await needs.store.oidcClients.useAssertion(key, expiresAt + leeway)))
    throw refused('it was used before');
}

/** Where clients authenticate. Many libraries name the one that they call (OIDC Core 9, RFC 9126 2). */
const endpoints = ['token', 'par', 'introspect', 'revoke', 'device_authorization'];

/** Another party in `aud` could present the assertion here as the client (audience injection, RFC 7523bis 4). */
function isForUs(aud: unknown, ours: readonly string[]): boolean {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return audiences.length > 0 && audiences.every((audience) => ours.some((each) => each === audience));
}

function parsed(assertion: string): ForeignJwt | undefined {
  try {
    return readForeignJwt(assertion, types);
  } catch {
    return undefined;
  }
}

function refused(why: string): AuthError {
  return new AuthError('client_not_authenticated', { detail: `client assertion: ${why}` });
}

/** @param failed one of the keys found before, none of which has signed the assertion: only newer ones are wanted */
async function keysOf(
  { jwks }: OidcServices,
  client: RegisteredClient,
  { kid, failed }: { kid: string | null; failed?: VerificationKey | undefined },
): Promise<readonly VerificationKey[]> {
  if (client.jwks !== null) {
    if (failed !== undefined) return [];
    const { keys, all } = readJwkSet(Buffer.from(JSON.stringify(client.jwks)));
    return kid === null ? all : (keys.get(kid) ?? []);
  }
  if (client.jwksUri === null) return [];
  const found = await jwks.find({ id: keysOwner(client.id), url: client.jwksUri }, kid, failed);
  if (found.found === 'keys') return found.keys;
  throw refused(`its keys cannot be had: ${found.found}`);
}
