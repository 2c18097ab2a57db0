import { constants, type KeyObject, type SignKeyObjectInput, verify } from 'node:crypto';
import { decodeBase64url } from '../digest.ts';
import { isAcceptedKey } from '../x509/key-strength.ts';

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

/**
 * The signature algorithms (JWS `alg`) accepted from other issuers, asymmetric ones only (RFC 8725 section 3.1), and how
 * each signs (RFC 7518 sections 3.3 to 3.5, RFC 8037 section 3.1).
 */
const schemes = {
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
} as const satisfies Readonly<Record<string, Scheme>>;

export type ForeignAlgorithm = keyof typeof schemes;
export const foreignAlgorithms = Object.keys(schemes) as readonly ForeignAlgorithm[];

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
  const { digest, length, ...options }: Scheme = schemes[algorithm];
  if (signature === undefined || signature.length !== (length ?? signature.length)) return false;
  try {
    return verify(digest, Buffer.from(token.slice(0, end)), { key: key.publicKey, ...options }, signature);
  } catch {
    // For every objection of OpenSSL, the signature was not verified.
    return false;
  }
}
