import type { Millis } from '../platform/clock.ts';

/** JOSE algorithm names of the keys that sign our tokens. */
export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/**
 * The algorithms for which keys always exist. Every client may rely on RS256 (OIDC Core 15.1), and ES256 signs access
 * tokens.
 * @param builtIn signs the ID tokens of the built-in client
 */
export function algorithmsInUse(builtIn: SigningAlgorithm): readonly SigningAlgorithm[] {
  return signingAlgorithms.filter((alg) => alg !== 'EdDSA' || alg === builtIn);
}

/**
 * A key that signs tokens. Its life is a sequence of times, so that all nodes agree without communicating: published at
 * once, signs from `activeFrom`, stops signing at `retiredAt`, leaves the JWKS at `removedAt`.
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
  /** No token signed by it is valid from this point on. */
  readonly removedAt: Millis | null;
}
