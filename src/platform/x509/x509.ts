import { X509Certificate } from 'node:crypto';
import { sha256 } from '../digest.ts';
import { MalformedInput } from '../formats/strict-input.ts';

/** The facts in a certificate. Nothing here is validated: neither signature, nor dates, nor purposes. */
export type CertificateFacts = Readonly<ReturnType<typeof certificateFacts>>;

/** One in a text. */
export const pemCertificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

/**
 * One certificate, as PEM (text after the first block is ignored) or DER.
 * @throws MalformedInput not a certificate, or its times cannot be read: then it would seem to last for ever
 */
export function parseCertificate(input: string | Uint8Array): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(input);
  } catch {
    throw new MalformedInput('not a certificate');
  }
  const { validFromDate, validToDate } = certificate;
  if (Number.isNaN(validFromDate.getTime() + validToDate.getTime())) throw new MalformedInput('no times');
  return certificate;
}

/**
 * Every certificate of a PEM text, in its order.
 * @throws MalformedInput one is broken, or cut off because its file was written in part; or there is none
 */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(pemCertificate) ?? [];
  if (blocks.length === 0) throw new MalformedInput('no certificate');
  // Without the last of a bundle, its authority would no longer be trusted, and sessions by its certificates end.
  if (/-----BEGIN CERT(?!IFICATE REQUEST)/.test(pem.replaceAll(pemCertificate, '')))
    throw new MalformedInput('a certificate is cut off');
  return blocks.map((block) => parseCertificate(block));
}

/** Takes about 0.1 ms: call it once per connection, not once per request. */
export function certificateFacts(certificate: X509Certificate) {
  return {
    thumbprint: thumbprint(certificate),
    /** The same for people, as `AB:CD:…`. */
    fingerprint: certificate.fingerprint256,
    /** Distinguished names on one line, most significant part first as in the certificate; for display only. */
    subject: displaySubject(certificate),
    issuer: displayIssuer(certificate),
    /** The only common name of the subject; undefined when it has none or several. */
    commonName: commonName(certificate),
    subjectAltNames: subjectAltNames(certificate.subjectAltName),
    /** Hex, lower case. */
    serialNumber: certificate.serialNumber.toLowerCase(),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isCa: certificate.ca,
    /** Object identifiers; empty when the certificate does not limit its purposes. */
    extendedKeyUsages: (certificate.keyUsage ?? []) as readonly string[],
  };
}

/** SHA-256 of the DER form, base64url. @see RFC 8705 section 3.1 */
export function thumbprint(certificate: X509Certificate): string {
  return sha256(certificate.raw);
}

/** The subject on one line, for display only; empty when there is none. */
export function displaySubject(certificate: X509Certificate): string {
  return oneLine(certificate.subject);
}

/** As displaySubject. */
export function displayIssuer(certificate: X509Certificate): string {
  return oneLine(certificate.issuer);
}

/** By name and signature. */
export function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  return isIssuedBy(certificate, certificate);
}

/** Whether they are for the same key. */
export function isSameKey(one: X509Certificate, other: X509Certificate): boolean {
  return one.publicKey.equals(other.publicKey);
}

/** Whether each of these authorities verifies the other's certificates. */
export function isSameAuthority(one: X509Certificate, other: X509Certificate): boolean {
  return isSameKey(one, other) && displaySubject(one) === displaySubject(other);
}

function oneLine(name: string | undefined): string {
  // Line breaks inside a value arrive escaped, so these separate the parts.
  return (name ?? '').split('\n').join(', ');
}

function commonName(certificate: X509Certificate): string | undefined {
  const subject: { CN?: unknown } = certificate.toLegacyObject().subject ?? {};
  return typeof subject.CN === 'string' ? subject.CN : undefined;
}

/**
 * The alternative names that can be mapped to something; other kinds are omitted. Node writes "DNS:a, URI:b", and puts a
 * value that could be mistaken for several into a JSON string.
 */
function subjectAltNames(text: string | undefined): Readonly<Record<AltName, readonly string[]>> {
  const names: Record<AltName, string[]> = { dns: [], uris: [], emails: [], ips: [] };
  const entry = /([A-Za-z0-9 ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y;
  while (text !== undefined && entry.lastIndex < text.length) {
    const match = entry.exec(text);
    if (match === null) throw new MalformedInput('alternative names of a certificate');
    const [, kind = '', value = ''] = match;
    const list = altNameKinds.get(kind);
    if (list !== undefined) names[list].push(value.startsWith('"') ? String(JSON.parse(value)) : value);
  }
  return names;
}

type AltName = 'dns' | 'uris' | 'emails' | 'ips';

const altNameKinds: ReadonlyMap<string, AltName> = new Map([
  ['DNS', 'dns'],
  ['URI', 'uris'],
  ['email', 'emails'],
  ['IP Address', 'ips'],
]);
