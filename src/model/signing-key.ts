import type { Millis } from '../platform/clock.ts';

/** JOSE algorithm names of the keys that sign our tokens. */
export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/**
 * The algorithms for which there are always keys. RS256 is what every client may count on (OIDC Core 15.1), and
 * access tokens are signed with ES256.
 * @param builtIn what the ID tokens of the built-in client are signed with
 */
export function algorithmsInUse(builtIn: SigningAlgorithm): readonly SigningAlgorithm[] {
  return signingAlgorithms.filter((alg) => alg !== 'EdDSA' || alg === builtIn);
}

/**
 * A key that signs tokens. Its life is a sequence of times, so that every node agrees without talking:
 * published at once, signs from `activeFrom`, signs no more from `retiredAt`, leaves the JWKS at `removedAt`.
 */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** Public JWK as JSON text. */
  readonly publicJwk: string;
  /** Private key, PKCS#8 DER, sealed under the key-encryption key with the kid as associated data. */
  readonly sealedPrivateKey: string;
  readonly createdAt: Millis;
  readonly activeFrom: Millis;
  readonly retiredAt: Millis | null;
  /** No token signed by it is valid at or after this point. */
  readonly removedAt: Millis | null;
}
