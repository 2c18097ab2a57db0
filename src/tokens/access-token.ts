// Access tokens (spec 2.5, RFC 9068): minting, and the only function that accepts one.

import { hash } from 'node:crypto';
import type { ApiSession, ProvenSession } from '../model/api-session.ts';
import type { ProvenFactors } from '../model/login.ts';
import type { AccessTokenClaims, Confirmation } from '../model/tokens.ts';
import { recentMap, type SharedValues, sharedValues } from '../platform/caches.ts';
import { type Millis, SECOND, type Seconds } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { readSignedClaims, signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

/** Audience of access tokens: the two Edge APIs, whichever address serves them. */
export const edgeAudience = 'overlay-edge-apis';

/** How far the clock of another node may be ahead when it has stamped a token. */
export const clockSkew: Millis = 30 * SECOND;

/** Longer than any token of ours; longer texts are not parsed. */
const maxTokenLength = 8192;

/** Rounds down, as NumericDate values are written (RFC 7519 2). */
export function toSeconds(millis: Millis): Seconds {
  return Math.floor(millis / 1000);
}

/**
 * @param token.lifetime Millis; a multiple of a second
 * @param token.audience the parties that may accept it
 */
export function mintAccessToken(
  needs: { ring: KeyRing; random: Random },
  token: {
    session: ProvenSession;
    isAdmin: boolean;
    isCertExtendable: boolean;
    lifetime: Millis;
    audience?: AccessTokenClaims['aud'];
  },
  now: Millis,
): string {
  const { session, lifetime, audience = edgeAudience } = token;
  const issuedAt = toSeconds(now);
  const claims: AccessTokenClaims = {
    iss: session.issuer,
    sub: session.identityId,
    aud: audience,
    exp: issuedAt + toSeconds(lifetime),
    iat: issuedAt,
    nbf: issuedAt,
    jti: needs.random.id(),
    client_id: session.clientId,
    scope: session.scopes.join(' '),
    amr: session.passed,
    acr: acrOf(session.passed),
    auth_time: toSeconds(session.authTime),
    z_asid: session.id,
    z_ia: token.isAdmin,
    z_ct: session.configTypes,
    z_t: 'a',
    z_ice: token.isCertExtendable,
    ...(session.caId === null ? {} : { z_caid: session.caId }),
    ...(session.signerId === null ? {} : { z_ejsid: session.signerId }),
    ...confirmationOf(session),
  };
  const { material, header } = needs.ring.signer('ES256', 'at+jwt', now);
  return signJwt(material, header, claims);
}

/** The `cnf` of the tokens of a session. */
export function confirmationOf({
  certThumbprint,
  keyThumbprint,
}: Pick<ApiSession, 'certThumbprint' | 'keyThumbprint'>): { readonly cnf?: Confirmation } {
  if (certThumbprint === null && keyThumbprint === null) return {};
  return {
    cnf: {
      ...(certThumbprint === null ? {} : { 'x5t#S256': certThumbprint }),
      ...(keyThumbprint === null ? {} : { jkt: keyThumbprint }),
    },
  };
}

/** The use of a token: the Edge APIs, or only the questions of its application about the person who logged in. */
export type TokenUse = 'edge-apis' | 'application';
export type TokenParties = Pick<AccessTokenClaims, 'aud' | 'client_id'>;

export type AccessTokenVerdict =
  | { readonly verdict: 'valid'; readonly claims: AccessTokenClaims; readonly use: TokenUse }
  | { readonly verdict: 'invalid' | 'expired' };

const invalid: AccessTokenVerdict = { verdict: 'invalid' };
const expired: AccessTokenVerdict = { verdict: 'expired' };

export type AccessTokenVerifier = ReturnType<typeof accessTokenVerifier>;

export interface AccessTokenRules {
  /** Ours at this moment; a token of one that is ours no more is invalid. */
  readonly issuers: ReadonlySet<string>;
  /**
   * By the configuration in use: a reload sets it. A shorter one also applies to tokens already issued: a session that
   * has ended is remembered for so long.
   */
  readonly lifetimes: { readonly accessToken: Millis };
  /** `jti` of tokens that were revoked by themselves. */
  readonly revoked: { has(jti: string): boolean };
  /** The use of a token with another audience, by its client as it is now; undefined for none. */
  readonly useOf?: (claims: TokenParties) => TokenUse | undefined;
  /** That answer requests: together they remember the 50,000 tokens used last, and at most twice as many. */
  readonly threads?: number;
}

/**
 * Verifies access tokens that name one of our issuers. A token seen before costs one hash; its signature is not
 * checked again, its times are. `expired` is said only of a token whose signature is good.
 */
export function accessTokenVerifier(ring: KeyRing, rules: AccessTokenRules) {
  const { issuers, lifetimes, revoked, useOf = () => undefined, threads = 1 } = rules;
  const seen = seenTokens(Math.ceil(50_000 / threads));
  let { generation } = ring;
  return {
    verify(token: string, now: Millis): AccessTokenVerdict {
      if (token.length > maxTokenLength) return invalid;
      // Verdicts under earlier keys do not count any more.
      if (generation !== ring.generation) seen.clear();
      generation = ring.generation;
      const key = hash('sha256', token, 'base64url');
      let claims = seen.get(key);
      if (claims === undefined) {
        claims = readSigned(ring, token, now);
        if (claims === undefined) return invalid;
        seen.add(key, claims);
      }
      if (!issuers.has(claims.iss)) return invalid;
      const end = Math.min(claims.exp * SECOND, claims.iat * SECOND + lifetimes.accessToken);
      if (now >= end) return expired;
      if (now + clockSkew < claims.nbf * SECOND || now + clockSkew < claims.iat * SECOND) return invalid;
      if (revoked.has(claims.jti)) return invalid;
      // Only the built-in client, which has most of the tokens, gets them for the Edge APIs.
      const use = claims.aud === edgeAudience ? 'edge-apis' : useOf(claims);
      return use === undefined ? invalid : { verdict: 'valid', claims, use };
    },
  };
}

/**
 * The claims of tokens whose signature was good, by a hash of the token. A newer token takes the place of the one that
 * the same session had before: a client that refreshes often would fill the memory with tokens it uses no more. A
 * token that comes again after a newer one is kept beside it, so that two in use do not push each other out.
 */
function seenTokens(atLeast: number) {
  const shared = sharedValues();
  const newest = new Map<string, string>();
  const known = recentMap<string, AccessTokenClaims>(atLeast, ({ z_asid }, key) => {
    if (newest.get(z_asid) === key) newest.delete(z_asid);
  });
  return {
    get: known.get,
    clear: known.clear,
    add(key: string, claims: AccessTokenClaims): void {
      known.set(key, { ...claims, ...commonClaims(claims, shared) });
      const before = newest.get(claims.z_asid);
      const earlier = before === undefined ? undefined : known.peek(before);
      if (before !== undefined && earlier !== undefined) {
        if (claims.iat < earlier.iat) return;
        known.delete(before);
      }
      newest.set(claims.z_asid, key);
    },
  };
}

/** The claims that are the same in many tokens, which take more than half of the memory of one. */
function commonClaims(
  { iss, aud, client_id, scope, amr, acr, z_ct }: AccessTokenClaims,
  { text, list }: SharedValues,
) {
  return {
    iss: text(iss),
    aud: typeof aud === 'string' ? text(aud) : list(aud),
    client_id: text(client_id),
    scope: text(scope),
    amr: list(amr),
    acr: text(acr),
    z_ct: list(z_ct),
  };
}

function readSigned(ring: KeyRing, token: string, now: Millis): AccessTokenClaims | undefined {
  const claims: unknown = readSignedClaims(ring, { text: token, typ: 'at+jwt' }, now);
  return isAccessTokenClaims(claims) ? claims : undefined;
}

// Only this service can have signed the claims; they are checked all the same, so that a token of another kind,
// or of an older release, is refused instead of being read halfway.
function isAccessTokenClaims(value: unknown): value is AccessTokenClaims {
  if (typeof value !== 'object' || value === null) return false;
  const claims = value as Record<string, unknown>;
  return (
    claims.z_t === 'a' &&
    (typeof claims.aud === 'string' || isTextList(claims.aud)) &&
    ['iss', 'sub', 'jti', 'client_id', 'scope', 'acr', 'z_asid'].every(
      (name) => typeof claims[name] === 'string',
    ) &&
    ['exp', 'iat', 'nbf', 'auth_time'].every(
      (name) => Number.isSafeInteger(claims[name]) && Number(claims[name]) >= 0,
    ) &&
    typeof claims.z_ia === 'boolean' &&
    isTextList(claims.amr) &&
    isTextList(claims.z_ct) &&
    (claims.z_caid === undefined || typeof claims.z_caid === 'string') &&
    (claims.z_ejsid === undefined || typeof claims.z_ejsid === 'string') &&
    (claims.cnf === undefined || isConfirmation(claims.cnf))
  );
}

/** A binding that cannot be read must not pass for none. */
function isConfirmation(cnf: unknown): boolean {
  if (typeof cnf !== 'object' || cnf === null) return false;
  const members = Object.entries(cnf);
  const isKnown = (name: string) => name === 'x5t#S256' || name === 'jkt';
  return members.length > 0 && members.every(([name, value]) => isKnown(name) && typeof value === 'string');
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** The authentication context classes that we assert, by how many factors were proven (OIDC Core 2, `acr`). */
export const acrValues = ['urn:overlay-auth:acr:one-factor', 'urn:overlay-auth:acr:two-factor'] as const;

/** The class that a login with these proofs reaches. */
export function acrOf(proven: ProvenFactors): (typeof acrValues)[number] {
  return proven.filter((method) => method !== 'user').length > 1 ? acrValues[1] : acrValues[0];
}
