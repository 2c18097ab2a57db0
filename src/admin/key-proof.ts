import type { Ca } from '../model/ca.ts';
import type { Millis } from '../platform/clock.ts';
import { readTrustAnchor } from '../platform/x509/path-validation.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import { acceptableCertificate } from './client-certificates.ts';

/**
 * Why a certificate does not prove that its maker holds the key of an authority; undefined when it does. It need
 * be good for nothing else: its purposes do not matter.
 * @throws AuthError could_not_validate   not exactly one certificate
 */
export function proofProblem(
  ca: Pick<Ca, 'certPem' | 'verificationToken'>,
  pem: string,
  now: Millis,
): string | undefined {
  const proof = acceptableCertificate('certPem', pem).certificate;
  const authority = readTrustAnchor(parseCertificate(ca.certPem).raw);
  const [commonName, ...others] = proof.subject.commonNames;
  if (commonName !== ca.verificationToken || others.length > 0)
    return 'must have the verification token as its only common name';
  if (proof.issuer.key !== authority.subject.key) return 'names another issuer than this CA';
  if (!proof.signatureAlgorithm.accepted)
    return `is signed with an algorithm that is not accepted: ${proof.signatureAlgorithm.name}`;
  if (!isSignedBy(proof, authority)) return 'is not signed with the key of this CA';
  if (now < proof.notBefore || now > proof.notAfter) return 'is not valid now';
  return undefined;
}

function isSignedBy(
  proof: ReturnType<typeof readTrustAnchor>,
  authority: ReturnType<typeof readTrustAnchor>,
): boolean {
  try {
    return proof.x509.verify(authority.publicKey);
  } catch {
    return false;
  }
}
