import type { KeyObject } from 'node:crypto';
import { isAcceptedKey } from '../x509/key-strength.ts';

/** The signature algorithms (JWS `alg`) accepted from other issuers: asymmetric ones only (RFC 8725 section 3.1). */
export const foreignAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type ForeignAlgorithm = (typeof foreignAlgorithms)[number];

/** Another issuer's public key, with the algorithms it may be used with; never empty. */
export interface VerificationKey {
  readonly publicKey: KeyObject;
  readonly algorithms: readonly ForeignAlgorithm[];
}

const byCurve: ReadonlyMap<string | undefined, ForeignAlgorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
]);
const withRsa = foreignAlgorithms.filter((name) => /^[RP]S/.test(name));

/**
 * The algorithms of a public key, which follow from its kind: RSA of 2048 to 8192 bits, EC on P-256, P-384 or P-521,
 * Ed25519.
 * @returns undefined for any other key
 */
export function verificationKey(publicKey: KeyObject): VerificationKey | undefined {
  const algorithms = algorithmsOf(publicKey);
  return algorithms.length === 0 ? undefined : { publicKey, algorithms };
}

function algorithmsOf(key: KeyObject) {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (!isAcceptedKey(key)) return [];
  if (type === 'ed25519') return ['EdDSA', 'Ed25519'] as const;
  if (type === 'ec') {
    const algorithm = byCurve.get(details?.namedCurve);
    return algorithm === undefined ? [] : [algorithm];
  }
  return type === 'rsa' ? withRsa : [];
}
