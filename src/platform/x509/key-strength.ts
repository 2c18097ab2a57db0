import type { KeyObject } from 'node:crypto';

const CURVE_NAMES: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);
const RSA_BITS = { least: 2048, most: 8192 };

/**
 * Whether certificates may hold this public key: RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519. With an
 * RSA exponent of one anything would be a signature.
 */
export function isAcceptedKey(key: KeyObject): boolean {
  const { modulusLength: bits = 0, namedCurve = '', publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa')
    return (
      bits >= RSA_BITS.least && bits <= RSA_BITS.most && publicExponent >= 3n && publicExponent % 2n === 1n
    );
  if (key.asymmetricKeyType === 'ec') return CURVE_NAMES.has(namedCurve);
  return key.asymmetricKeyType === 'ed25519';
}

/** For people: `RSA 1024`, `P-256`, `ed448`. */
export function describeKey(key: KeyObject): string {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) return `RSA ${modulusLength}`;
  if (namedCurve !== undefined) return CURVE_NAMES.get(namedCurve) ?? namedCurve;
  return key.asymmetricKeyType ?? 'unknown';
}
