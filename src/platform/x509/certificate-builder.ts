// The parts of the certificates we issue (RFC 5280): serial number, dates, extensions, signature. pki.ts decides which
// kinds of certificate there are.
import 'reflect-metadata';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import * as asn1 from '@peculiar/x509';
import { type Clock, DAY, MINUTE } from '../clock.ts';
import { sha256Bytes } from '../digest.ts';
import { systemRandom } from '../random.ts';
import { derTag } from './der.ts';
import { element } from './write-der.ts';

/** A certificate and its private key (PKCS #8), both PEM. */
export interface CertifiedKey {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface CertificateContent {
  /** The common name, which is then the whole name; or that of another certificate. */
  readonly subject: string | asn1.Name;
  readonly days: number;
  readonly publicKey: KeyObject;
  readonly extensions: readonly asn1.Extension[];
  readonly issuer: Issuer;
}

/** Either an authority, or the key of the certificate itself. */
export type Issuer = { readonly ca: CertifiedKey } | { readonly selfSignedWith: KeyObject };

const backdatedBy = 5 * MINUTE;
const longestCommonName = 64;
const serialBytes = 16;

/**
 * Signs a certificate; PEM.
 * @throws RangeError a common name that is empty or over 64 characters (RFC 5280 appendix A.1)
 * @throws Error      the authority is not one, has expired, or its key does not belong to it
 */
export async function certify(needs: { clock: Clock }, content: CertificateContent): Promise<string> {
  const now = needs.clock.now();
  const spki = new Uint8Array(content.publicKey.export({ format: 'der', type: 'spki' }));
  const subject = typeof content.subject === 'string' ? nameOf(content.subject) : content.subject;
  const extensions = [...content.extensions];
  const hasKeyId = (one: asn1.Extension) => one instanceof asn1.SubjectKeyIdentifierExtension;
  const subjectKeyId = extensions.find(hasKeyId)?.keyId ?? keyIdentifier(spki);
  if (!extensions.some(hasKeyId)) extensions.push(new asn1.SubjectKeyIdentifierExtension(subjectKeyId));
  const issuer =
    'ca' in content.issuer
      ? readAuthority(content.issuer.ca, now)
      : { name: subject, key: content.issuer.selfSignedWith, keyId: subjectKeyId, notAfter: Infinity };
  const signing = signatureFor(issuer.key);
  const certificate = await asn1.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject,
    issuer: issuer.name,
    notBefore: new Date(now - backdatedBy),
    notAfter: new Date(Math.min(now + content.days * DAY, issuer.notAfter)),
    publicKey: spki,
    signingKey: issuer.key.toCryptoKey(signing, false, ['sign']),
    signingAlgorithm: signing,
    extensions: [...extensions, new asn1.AuthorityKeyIdentifierExtension(issuer.keyId)],
  });
  return `${certificate.toString('pem')}\n`;
}

function nameOf(commonName: string): asn1.Name {
  if (commonName === '' || commonName.length > longestCommonName)
    throw new RangeError('the common name of a certificate has 1 to 64 characters');
  // As an object, because quotes and backslashes in a plain string would be interpreted.
  return new asn1.Name([{ CN: [{ utf8String: commonName }] }]);
}

/** Name, key and extensions of a certificate, for another one that is to stand in its place. */
export function contentOf(certPem: string): Pick<CertificateContent, 'subject' | 'publicKey' | 'extensions'> {
  const { raw, publicKey } = new X509Certificate(certPem);
  const { subjectName, extensions } = new asn1.X509Certificate(new Uint8Array(raw));
  const isOfIssuer = (one: asn1.Extension) => one instanceof asn1.AuthorityKeyIdentifierExtension;
  return { subject: subjectName, publicKey, extensions: extensions.filter((one) => !isOfIssuer(one)) };
}

/** For an authority. @param pathLength how many further authorities may follow; absent: any number */
export function authorityExtensions(pathLength?: number): asn1.Extension[] {
  const { keyCertSign, cRLSign } = asn1.KeyUsageFlags;
  return [
    new asn1.BasicConstraintsExtension(true, pathLength, true),
    new asn1.KeyUsagesExtension(keyCertSign | cRLSign, true),
  ];
}

/** For the end of a chain, with its only purpose and its alternative names. */
export function leafExtensions(
  purpose: 'serverAuth' | 'clientAuth',
  alternativeNames: asn1.JsonGeneralNames,
): asn1.Extension[] {
  const extensions: asn1.Extension[] = [
    new asn1.BasicConstraintsExtension(false, undefined, true),
    new asn1.KeyUsagesExtension(asn1.KeyUsageFlags.digitalSignature, true),
    new asn1.ExtendedKeyUsageExtension([asn1.ExtendedKeyUsage[purpose]]),
  ];
  if (alternativeNames.length > 0)
    extensions.push(new asn1.SubjectAlternativeNameExtension(alternativeNames));
  return extensions;
}

/** The answer to a TLS-ALPN challenge. @see RFC 8737 section 3 */
export function challengeExtension(authorization: Buffer): asn1.Extension {
  return new asn1.Extension('1.3.6.1.5.5.7.1.31', true, element(derTag.octetString, authorization));
}

function readAuthority(ca: CertifiedKey, now: number) {
  const certificate = new X509Certificate(ca.certPem);
  const key = createPrivateKey(ca.keyPem);
  if (!certificate.ca) throw new Error('the certificate that should issue another one is not an authority');
  if (!certificate.checkPrivateKey(key))
    throw new Error('the key of the authority does not belong to its certificate');
  const notAfter = certificate.validToDate.getTime();
  if (notAfter <= now) throw new Error('the certificate of the authority has expired');
  const parsed = new asn1.X509Certificate(new Uint8Array(certificate.raw));
  const keyId =
    parsed.getExtension(asn1.SubjectKeyIdentifierExtension)?.keyId ??
    keyIdentifier(new Uint8Array(parsed.publicKey.rawData));
  return { name: parsed.subjectName, key, keyId, notAfter };
}

function signatureFor(key: KeyObject) {
  if (key.asymmetricKeyType === 'ed25519') return { name: 'Ed25519' };
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) throw new Error('authorities have RSA, Ed25519, P-256, P-384 or P-521 keys');
  return curve;
}

const curves: Readonly<Record<string, { name: string; namedCurve: string; hash: string }>> = {
  prime256v1: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
};

/** Positive and always 16 bytes long. @see RFC 5280 section 4.1.2.2 */
function newSerialNumber(): string {
  const bytes = systemRandom.bytes(serialBytes);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}

/** @see RFC 7093 section 2 */
function keyIdentifier(spki: Uint8Array): string {
  return sha256Bytes(spki).toString('hex').slice(0, 40);
}
