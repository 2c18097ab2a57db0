import type { KeyObject } from 'node:crypto';

const curveNames: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);
const shortestRsaModulus = 2048;
/** In bits. With longer ones, a single check takes milliseconds. */
export const longestRsaModulus = 8192;
/** If the exponent is as long as the modulus, a check costs as much as a signature, a hundred times more than usual. */
const largestExponent = 2n ** 32n - 1n;

/**
 * Whether signatures may be checked with this public key: RSA of 2048 to 8192 bits with an odd modulus and an exponent below 2^32, P-256,
 * P-384, P-521 or Ed25519. With an RSA exponent of one, anything would be a valid signature.
 */
export function isAcceptedKey(key: KeyObject): boolean {
  const { modulusLength: bits = 0, namedCurve = '', publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa')
    return (
      bits >= shortestRsaModulus &&
      bits <= longestRsaModulus &&
      publicExponent >= 3n &&
      publicExponent % 2n === 1n &&
      publicExponent <= largestExponent &&
      // Of two primes. With a factor of two, it is none of a key generator.
      Number(Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').at(-1)) % 2 === 1
    );
  if (key.asymmetricKeyType === 'ec') return curveNames.has(namedCurve);
  return key.asymmetricKeyType === 'ed25519';
}

/** Whether a check by this key, which a client has chosen, takes ten milliseconds and not a tenth of one. */
export function isCostlyKey({ asymmetricKeyType, asymmetricKeyDetails: details = {} }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent = 0n } = details;
  return asymmetricKeyType === 'dsa' || bits > longestRsaModulus || publicExponent > largestExponent;
}

/** For people: `RSA 1024`, `RSA 2048 with an exponent of 33 bits`, `P-256`, `ed448`. */
export function describeKey(key: KeyObject): string {
  const { modulusLength, namedCurve, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) {
    const bits = publicExponent.toString(2).length;
    return `RSA ${modulusLength}${publicExponent > largestExponent ? ` with an exponent of ${bits} bits` : ''}`;
  }
  if (namedCurve !== undefined) return curveNames.get(namedCurve) ?? namedCurve;
  return key.asymmetricKeyType ?? 'unknown';
}
