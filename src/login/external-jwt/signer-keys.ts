import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { ignoredKeyReasons, mostKeys } from '../../platform/jwk/jwk-set.ts';
import type { KeySetFailure } from '../../platform/jwk/jwks-cache.ts';
import { type VerificationKey, verificationKey } from '../../platform/jwk/jws-signature.ts';
import { fetchRefusals } from '../../platform/network/fetch-refused.ts';
import { parseCertificate } from '../../platform/x509/x509.ts';
import type { SignerKeyServices } from '../services.ts';
import { type RefusedExternalJwt, refused } from './external-jwt-verdict.ts';
import type { ForeignJwt } from './foreign-jwt.ts';

/**
 * The signer's key that verifies a token. A token without `kid` is accepted if exactly one key fits.
 * @param failed a key returned before that has not verified it. Returned again if there is no newer one
 */
export async function keyOf(
  needs: SignerKeyServices,
  signer: ExternalJwtSigner,
  {
    jwt: { kid, alg },
    failed,
  }: { jwt: Pick<ForeignJwt, 'kid' | 'alg'>; failed: VerificationKey | undefined },
): Promise<VerificationKey | RefusedExternalJwt> {
  const keys = await keysOf(needs, signer, { kid, failed });
  if ('verdict' in keys) return keys;
  const fitting = keys.filter(({ algorithms }) => algorithms.some((name) => name === alg));
  const [key, ...others] = fitting;
  if (key === undefined) {
    const theirs = [...new Set(keys.flatMap(({ algorithms }) => algorithms))].join(', ');
    const saw = `it is signed with ${alg}, and ${kid === null ? 'the keys are' : `the key ${quoted(kid)} is`} for ${theirs}`;
    return refused('key-algorithm', saw, signer.id);
  }
  if (kid === null && signer.certPem === null && others.some((one) => !one.publicKey.equals(key.publicKey))) {
    const saw = `it names no key, and ${fitting.length} keys fit its algorithm ${alg}`;
    return refused('token-without-key-id', saw, signer.id);
  }
  return key;
}

/** Never empty. @param kid null: all of them */
async function keysOf(
  needs: SignerKeyServices,
  signer: ExternalJwtSigner,
  { kid, failed }: { kid: string | null; failed: VerificationKey | undefined },
): Promise<readonly VerificationKey[] | RefusedExternalJwt> {
  if (signer.certPem !== null) return keyOfCertificate(needs, signer, { certPem: signer.certPem, kid });
  if (signer.jwksEndpoint === null && !signer.discovery)
    return refused('keys-unavailable', 'the signer has no keys', signer.id);
  const issuer = signer.discovery ? signer.issuer : undefined;
  const lookup = await needs.jwks.find({ id: signer.id, url: signer.jwksEndpoint, issuer }, kid, failed);
  if (lookup.found === 'keys') return lookup.keys;
  if (lookup.found === 'no-key-set') {
    const { reason, sinceTry } = lookup;
    const saw = `the keys could not be fetched, ${Math.round(sinceTry / SECOND)} s ago: ${keySetFailures[reason]}`;
    return refused('keys-unavailable', saw, signer.id);
  }
  const when = lookup.isFresh
    ? 'the keys were fetched again for this token'
    : 'the keys were fetched a moment ago, and not again for this token';
  const named = kid === null ? 'the keys of the signer' : `the key ${quoted(kid)} of the signer`;
  if (lookup.ignored === null)
    return refused('unknown-key', `there is no ${named.slice(4)}; ${when}`, signer.id);
  return refused(
    'unusable-key',
    `${named} cannot be used: ${ignoredKeyReasons[lookup.ignored]}; ${when}`,
    signer.id,
  );
}

/** Why the keys of a signer could not be fetched, for administrators. */
export const keySetFailures: Readonly<Record<KeySetFailure, string>> = {
  ...fetchRefusals,
  'not-a-key-set': 'the answer is no key set, which is a JSON object with a list "keys" and no member twice',
  'too-many-keys': `the key set has more than ${mostKeys} keys`,
  'no-discovery': 'the discovery document is none, is of another issuer, or names no keys',
};

/** Why no token of the signer can be verified now; null if one may be. Fetches the keys as a login does. */
export async function keysProblem(
  needs: SignerKeyServices,
  signer: ExternalJwtSigner,
): Promise<RefusedExternalJwt | null> {
  const keys = await keysOf(needs, signer, { kid: null, failed: undefined });
  return 'verdict' in keys ? keys : null;
}

/** Why the certificate of a signer can verify no token now; null if it can, or if the keys come from elsewhere. */
export function certificateProblem(
  needs: Pick<SignerKeyServices, 'clock'>,
  signer: ExternalJwtSigner,
): RefusedExternalJwt | null {
  if (signer.certPem === null) return null;
  const keys = keyOfCertificate(needs, signer, { certPem: signer.certPem, kid: null });
  return 'verdict' in keys ? keys : null;
}

function keyOfCertificate(
  needs: Pick<SignerKeyServices, 'clock'>,
  signer: ExternalJwtSigner,
  { certPem, kid }: { certPem: string; kid: string | null },
): readonly VerificationKey[] | RefusedExternalJwt {
  if (kid !== null && signer.kid !== null && kid !== signer.kid) {
    const saw = `its key id is ${quoted(kid)}, and that of the certificate ${quoted(signer.kid)}`;
    return refused('unknown-key', saw, signer.id);
  }
  const held = remembered(signer, certPem);
  if (held === undefined)
    return refused('keys-unavailable', 'the certificate contains no key that is accepted', signer.id);
  const now = needs.clock.now();
  if (now >= held.notBefore && now <= held.notAfter) return [held.key];
  const [notBefore, notAfter] = [held.notBefore, held.notAfter].map((time) => new Date(time).toISOString());
  const saw = `the certificate is valid from ${notBefore} to ${notAfter}`;
  return refused('signer-certificate-expired', saw, signer.id);
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
