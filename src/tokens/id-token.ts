// ID tokens (OIDC Core 2): issues them, and reads one back as the hint of a logout.

import { hash } from 'node:crypto';
import type { ProvenSession } from '../model/api-session.ts';
import type { SigningAlgorithm } from '../model/signing-key.ts';
import type { IdTokenClaims } from '../model/tokens.ts';
import type { Millis } from '../platform/clock.ts';
import { acrOf, toSeconds } from './access-token.ts';
import { readSignedClaims, signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

/**
 * @param token.accessToken the one that is issued with it, or null
 * @param token.nonce from the authorization request; null after a refresh (OIDC Core 12.2)
 * @param token.name  of the identity, for existing SDKs; null: clients ask userinfo for it (OIDC Core 5.4)
 * @param token.lifetime Millis; a multiple of a second
 */
export function mintIdToken(
  needs: { ring: KeyRing; alg: SigningAlgorithm },
  token: {
    session: ProvenSession;
    accessToken: string | null;
    nonce: string | null;
    name: string | null;
    lifetime: Millis;
  },
  now: Millis,
): string {
  const { session } = token;
  const issuedAt = toSeconds(now);
  const claims: IdTokenClaims = {
    iss: session.issuer,
    sub: session.identityId,
    aud: session.clientId,
    exp: issuedAt + toSeconds(token.lifetime),
    iat: issuedAt,
    auth_time: toSeconds(session.authTime),
    ...(token.nonce === null ? {} : { nonce: token.nonce }),
    amr: session.passed,
    acr: acrOf(session.passed),
    azp: session.clientId,
    ...(token.accessToken === null ? {} : { at_hash: atHash(needs.alg, token.accessToken) }),
    sid: session.id,
    ...(token.name === null ? {} : { name: token.name }),
  };
  const { material, header } = needs.ring.signer(needs.alg, 'JWT', now);
  return signJwt(material, header, claims);
}

/** Left half of the hash that the algorithm uses (OIDC Core 3.1.3.6); Ed25519 uses SHA-512. */
function atHash(alg: SigningAlgorithm, accessToken: string): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** The claims of an id_token_hint that a logout needs. */
export type IdTokenHint = Pick<IdTokenClaims, 'iss' | 'sub' | 'aud' | 'sid'>;

/**
 * The claims of an ID token that we signed, expired or not (OIDC RP-Initiated Logout 4), or undefined.
 * Access tokens have another header and are never accepted.
 */
export function readIdTokenHint(ring: KeyRing, token: string, now: Millis): IdTokenHint | undefined {
  const claims = readSignedClaims(ring, { text: token, typ: 'JWT' }, now);
  if (claims === undefined) return undefined;
  const { iss, sub, aud, sid } = claims;
  if (
    typeof iss !== 'string' ||
    typeof sub !== 'string' ||
    typeof aud !== 'string' ||
    typeof sid !== 'string'
  )
    return undefined;
  return { iss, sub, aud, sid };
}
