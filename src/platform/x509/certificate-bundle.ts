import type { X509Certificate } from 'node:crypto';
import { MalformedInput } from '../formats/strict-input.ts';
import { childrenOf, contextTag, derTag, readDer, readObjectIdentifier } from './der.ts';
import { element } from './write-der.ts';
import { parseCertificate } from './x509.ts';

// 1.2.840.113549.1.7.1 and .2: data and signedData.
const dataOid = Buffer.from('2a864886f70d010701', 'hex');
const signedDataOid = Buffer.from('2a864886f70d010702', 'hex');
const version1 = Buffer.from([1]);

/**
 * Certificates as a degenerate PKCS #7, "certs-only": signed data that contains nothing signed.
 * @see RFC 5652 section 5.1, RFC 7030 section 4.1.3
 */
export function certificateBundle(certificates: readonly X509Certificate[]): Buffer {
  const signedData = element(
    derTag.sequence,
    element(derTag.integer, version1),
    element(derTag.set),
    element(derTag.sequence, element(derTag.objectIdentifier, dataOid)),
    // A set is written in the order of its bytes (X.690 section 11.6).
    element(contextTag(0), ...certificates.map(({ raw }) => raw).toSorted(Buffer.compare)),
    element(derTag.set),
  );
  return element(
    derTag.sequence,
    element(derTag.objectIdentifier, signedDataOid),
    element(contextTag(0), signedData),
  );
}

/** The certificates of such a bundle, in DER; nothing is verified. @throws MalformedInput */
export function readCertificateBundle(der: Uint8Array): X509Certificate[] {
  const [type, wrapped] = childrenOf(readDer(der), derTag.sequence);
  if (readObjectIdentifier(type) !== '1.2.840.113549.1.7.2') throw new MalformedInput('not signed data');
  const [signedData] = childrenOf(wrapped, contextTag(0));
  // Version, digest algorithms and content come first.
  const certificates = childrenOf(signedData, derTag.sequence)[3];
  return childrenOf(certificates, contextTag(0)).map(({ whole }) => parseCertificate(whole));
}
