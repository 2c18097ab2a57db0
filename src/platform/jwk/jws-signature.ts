import { constants, type SignKeyObjectInput, verify } from 'node:crypto';
import { decodeBase64url } from '../digest.ts';
import type { ForeignAlgorithm, VerificationKey } from './verification-key.ts';

interface Scheme extends Pick<SignKeyObjectInput, 'padding' | 'saltLength' | 'dsaEncoding'> {
  readonly digest: 'sha256' | 'sha384' | 'sha512' | null;
  /** Length of the signature in bytes, if the key does not determine it. */
  readonly length?: number;
}

const pss = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;
const pkcs1 = { padding: constants.RSA_PKCS1_PADDING } as const;
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const;

/** How each algorithm signs (RFC 7518 sections 3.3 to 3.5, RFC 8037 section 3.1). */
const schemes: Readonly<Record<ForeignAlgorithm, Scheme>> = {
  RS256: { digest: 'sha256', ...pkcs1 },
  RS384: { digest: 'sha384', ...pkcs1 },
  RS512: { digest: 'sha512', ...pkcs1 },
  PS256: { digest: 'sha256', ...pss },
  PS384: { digest: 'sha384', ...pss },
  PS512: { digest: 'sha512', ...pss },
  // The length is checked first, because OpenSSL also accepts other encodings of the two integers.
  ES256: { digest: 'sha256', length: 64, ...ecdsa },
  ES384: { digest: 'sha384', length: 96, ...ecdsa },
  ES512: { digest: 'sha512', length: 132, ...ecdsa },
  EdDSA: { digest: null },
  Ed25519: { digest: null },
};

/**
 * Whether a key signed a compact JWS with this algorithm. Runs on this thread, because handing it to another costs more
 * than the calculation.
 * @param alg from the header, which the caller has read; one that is not for this key yields false
 */
export function isSignedBy(key: VerificationKey, token: string, alg: string): boolean {
  const algorithm = key.algorithms.find((name) => name === alg);
  if (algorithm === undefined) return false;
  const end = token.lastIndexOf('.');
  const signature = decodeBase64url(token.slice(end + 1));
  const { digest, length, ...options } = schemes[algorithm];
  if (signature === undefined || signature.length !== (length ?? signature.length)) return false;
  try {
    return verify(digest, Buffer.from(token.slice(0, end)), { key: key.publicKey, ...options }, signature);
  } catch {
    // Whatever OpenSSL objects to, the signature was not verified.
    return false;
  }
}
