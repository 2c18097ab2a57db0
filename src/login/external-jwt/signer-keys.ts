import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { Clock, Millis } from '../../platform/clock.ts';
import type { JwksCache, KeySetFailure } from '../../platform/jwk/jwks-cache.ts';
import { type VerificationKey, verificationKey } from '../../platform/jwk/jws-signature.ts';
import { fetchRefusals } from '../../platform/network/fetch-refused.ts';
import { parseCertificate } from '../../platform/x509/x509.ts';
import { type RefusedExternalJwt, refused } from './external-jwt-verdict.ts';
import type { ForeignJwt } from './foreign-jwt.ts';

/** The signer's key that verifies a token. A token without `kid` is accepted if exactly one key fits. */
export async function keyOf(
  needs: { readonly clock: Clock; readonly jwks: JwksCache },
  signer: ExternalJwtSigner,
  { kid, alg }: Pick<ForeignJwt, 'kid' | 'alg'>,
): Promise<VerificationKey | RefusedExternalJwt> {
  const keys = await keysOf(needs, signer, kid);
  if ('verdict' in keys) return keys;
  const fitting = keys.filter(({ algorithms }) => algorithms.some((name) => name === alg));
  const [key, ...others] = fitting;
  if (kid === null && signer.certPem === null) {
    const isOnly = key !== undefined && others.every(({ publicKey }) => publicKey.equals(key.publicKey));
    if (!isOnly)
      return refused('unknown-key', signer.id, `it names none, and ${fitting.length} fit its algorithm`);
  }
  return key ?? refused('algorithm', signer.id);
}

/** Never empty. @param kid null: all of them */
async function keysOf(
  needs: { readonly clock: Clock; readonly jwks: JwksCache },
  signer: ExternalJwtSigner,
  kid: string | null,
): Promise<readonly VerificationKey[] | RefusedExternalJwt> {
  if (signer.certPem !== null) return keyOfCertificate(needs, signer, { certPem: signer.certPem, kid });
  if (signer.jwksEndpoint === null) return refused('keys-unavailable', signer.id, 'the signer has no keys');
  const lookup = await needs.jwks.find({ id: signer.id, url: signer.jwksEndpoint }, kid);
  if (lookup.found === 'keys') return lookup.keys;
  return lookup.found === 'no-such-key'
    ? refused('unknown-key', signer.id)
    : refused('keys-unavailable', signer.id, wordsOf(lookup.reason));
}

function wordsOf(failure: KeySetFailure): string {
  return failure === 'not-a-key-set' ? 'the answer is no key set' : fetchRefusals[failure];
}

function keyOfCertificate(
  needs: { readonly clock: Clock },
  signer: ExternalJwtSigner,
  { certPem, kid }: { readonly certPem: string; readonly kid: string | null },
): readonly VerificationKey[] | RefusedExternalJwt {
  if (kid !== null && signer.kid !== null && kid !== signer.kid) return refused('unknown-key', signer.id);
  const held = remembered(signer, certPem);
  if (held === undefined) return refused('keys-unavailable', signer.id, 'no accepted key in the certificate');
  const now = needs.clock.now();
  if (now < held.notBefore || now > held.notAfter) return refused('certificate-expired', signer.id);
  return [held.key];
}

// Parsing a certificate costs as much as the rest of a verification. Records are never changed in place.
const read = new WeakMap<ExternalJwtSigner, SignerCertificate>();

function remembered(signer: ExternalJwtSigner, certPem: string): SignerCertificate | undefined {
  const held = read.get(signer) ?? readSignerCertificate(certPem);
  if (held !== undefined) read.set(signer, held);
  return held;
}

export interface SignerCertificate {
  readonly key: VerificationKey;
  readonly notBefore: Millis;
  readonly notAfter: Millis;
}

/** The key of a signer's certificate. @returns undefined when it is not a certificate, or its key is not accepted */
export function readSignerCertificate(certPem: string): SignerCertificate | undefined {
  try {
    const certificate = parseCertificate(certPem);
    const key = verificationKey(certificate.publicKey);
    if (key === undefined) return undefined;
    const { validFromDate, validToDate } = certificate;
    return { key, notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
  } catch {
    // Not a certificate, or its key is of a kind that the runtime does not know.
    return undefined;
  }
}
