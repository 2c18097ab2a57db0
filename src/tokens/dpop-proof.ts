// DPoP proofs (RFC 9449): a JWT that a client signs for one request, with the key to which its tokens are bound. This
// file reads one and compares it with the request; dpop-verifier.ts decides whether it is fresh and new.

import { proofAlgorithms } from '../model/tokens.ts';
import { decodeBase64url, sha256 } from '../platform/digest.ts';
import { decodeUtf8, MalformedInput, parseStrictJson } from '../platform/formats/strict-input.ts';
import { ignoredKeyReasons, readVerificationKey, thumbprintOf } from '../platform/jwk/jwk-set.ts';
import { isSignedBy, type VerificationKey } from '../platform/jwk/jws-signature.ts';
import { type Millis, SECOND } from '../platform/time-units.ts';
import { splitJwt } from './jws.ts';

/** A proof as a request contains it, and the request that it has to be about. One object for each request. */
export interface PresentedProof {
  /** The value of the DPoP header. Node joins several with `, `, which no JWT contains. */
  readonly text: string;
  readonly method: string;
  /** Without query and fragment, with the address that clients use. */
  readonly url: string;
}

/** The contents of a proof's header. Clients send the same one with each proof. */
export interface ProofKey {
  readonly alg: string;
  readonly key: VerificationKey;
  /** RFC 7638, SHA-256, base64url: the `jkt` of tokens. */
  readonly thumbprint: string;
}

/** A proof that its key has signed for this request. */
export interface DpopProof {
  /** The first segment. */
  readonly header: string;
  readonly key: ProofKey;
  readonly jti: string;
  readonly issuedAt: Millis;
  readonly nonce: string | null;
}

/** Why a proof is worth nothing. `reason` is for the client and contains nothing of ours. */
export class ProofRefused extends Error {
  override readonly name = 'ProofRefused';
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Enough for an RSA key of 4096 bits. Checking one of 8192 bits takes four times as long. */
const longestProof = 3000;
const longestRsaProofKey = 4096;
const longestJti = 512;
const longestNonce = 128;
const limits = { maxDepth: 8, maxKeys: 50 };

/**
 * Reads a proof and checks everything that needs no memory: form, key, request, token and signature.
 * @param accessToken the token that comes with it; null at the token endpoint, where there is none
 * @param known       the key of a header seen before
 * @throws ProofRefused
 * @see RFC 9449 sections 4.2 and 4.3
 */
export function readProof(
  { text, method, url }: PresentedProof,
  accessToken: string | null,
  known: (header: string) => ProofKey | undefined = () => undefined,
): DpopProof {
  const parts = text.length > longestProof ? undefined : splitJwt(text);
  if (parts === undefined) throw new ProofRefused('the DPoP header is not one JWT of ordinary length');
  const key = known(parts.header) ?? readKey(objectOf(parts.header));
  const { jti, htm, htu, iat, ath, nonce = null } = objectOf(parts.payload);
  if (htm !== method) throw new ProofRefused('htm is not the method of the request');
  if (!isAddress(htu, url)) throw new ProofRefused('htu is not the address of the request');
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti)
    throw new ProofRefused('jti is missing or too long');
  if (typeof iat !== 'number' || iat < 0 || iat > Number.MAX_SAFE_INTEGER / SECOND)
    throw new ProofRefused('iat is missing or not a time');
  if (nonce !== null && (typeof nonce !== 'string' || nonce.length > longestNonce))
    throw new ProofRefused('nonce is not a text that was given out here');
  if (accessToken !== null && ath !== sha256(accessToken))
    throw new ProofRefused('ath is not the hash of the access token');
  if (!isSignedBy(key.key, text, key.alg)) throw new ProofRefused('its key has not signed it');
  // A time may have any fraction (RFC 7519 section 2), and databases keep whole milliseconds.
  return { header: parts.header, key, jti, issuedAt: Math.floor(iat * SECOND), nonce };
}

function objectOf(segment: string): Readonly<Record<string, unknown>> {
  const bytes = decodeBase64url(segment);
  try {
    const value = bytes === undefined ? null : parseStrictJson(decodeUtf8(bytes), limits);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
  }
  throw new ProofRefused('it is not base64url of JSON objects');
}

function readKey({ typ, alg, jwk, crit }: Readonly<Record<string, unknown>>): ProofKey {
  if (typeof typ !== 'string' || typ.toLowerCase() !== 'dpop+jwt')
    throw new ProofRefused('typ is not dpop+jwt');
  if (crit !== undefined) throw new ProofRefused('the header parameter crit is not accepted');
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) throw new ProofRefused('jwk is missing');
  const members = jwk as Readonly<Record<string, unknown>>;
  const key = readVerificationKey(members);
  if (key === 'private') throw new ProofRefused('jwk contains the private key: make another one');
  if (typeof key === 'string') throw new ProofRefused(`jwk cannot be used: ${ignoredKeyReasons[key]}`);
  if ((key.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) > longestRsaProofKey)
    throw new ProofRefused(`jwk is longer than ${longestRsaProofKey} bits`);
  const algorithm = key.algorithms.find((name) => name === alg);
  if (algorithm === undefined || !proofAlgorithms.some((name) => name === algorithm))
    throw new ProofRefused(`alg is none of ${proofAlgorithms.join(', ')} that fits the jwk`);
  return { alg: algorithm, key, thumbprint: thumbprintOf(members) };
}

/** Compared as addresses are (RFC 9449 4.3), when the texts differ. */
function isAddress(htu: unknown, url: string): boolean {
  if (htu === url) return true;
  const named = typeof htu === 'string' && htu.length <= 2048 ? URL.parse(htu) : null;
  const expected = URL.parse(url);
  if (named === null || expected === null || named.username !== '' || named.password !== '') return false;
  return named.origin === expected.origin && named.pathname === expected.pathname;
}
