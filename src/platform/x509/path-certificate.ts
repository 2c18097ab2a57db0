// The fields of a certificate for path validation, read from its DER form. Only the form is judged here:
// path-rules.ts decides whether a certificate is acceptable.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { sha256 } from '../digest.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import {
  childrenOf,
  contextTag,
  type DerElement,
  derFields,
  derTag,
  elementsOf,
  readAscii,
  readBoolean,
  readDer,
  readNamedBits,
  readObjectIdentifier,
  readSmallInteger,
  readTime,
} from './der.ts';
import { type DistinguishedName, readDistinguishedName } from './distinguished-name.ts';
import { readSignatureAlgorithm } from './signature-algorithms.ts';
import { parseCertificate } from './x509.ts';

export type PathCertificate = Readonly<ReturnType<typeof readPathCertificate>>;

/**
 * Takes about 0.1 ms, so keep results that are needed again, such as trust anchors. `anchorProblem` says whether one is
 * suitable as an anchor.
 * @param certificate DER, or a text in PEM
 * @throws MalformedInput not exactly one certificate in DER, or one that breaks the form of RFC 5280 section 4.1
 */
export function readPathCertificate(certificate: Uint8Array | string) {
  const x509 = parseCertificate(certificate);
  const der = typeof certificate === 'string' ? x509.raw : certificate;
  const parts = derFields(childrenOf(readDer(der), derTag.sequence));
  const content = parts.take(derTag.sequence);
  const outerAlgorithm = parts.take(derTag.sequence);
  parts.take(derTag.bitString);
  parts.done();

  const fields = derFields(elementsOf(content.content));
  const version = readVersion(fields.takeIf(contextTag(0)));
  const serialNumber = fields.take(derTag.integer).content.toString('hex');
  const innerAlgorithm = fields.take(derTag.sequence);
  const issuer = readDistinguishedName(fields.take(derTag.sequence));
  const [notBefore, notAfter, ...more] = childrenOf(fields.take(derTag.sequence), derTag.sequence);
  const subject = readDistinguishedName(fields.take(derTag.sequence));
  fields.take(derTag.sequence);
  fields.takeIf(contextTag(1, 'primitive'));
  fields.takeIf(contextTag(2, 'primitive'));
  const extensions = fields.takeIf(contextTag(3));
  fields.done();

  // The unsigned copy of the algorithm must equal the signed one.
  if (!outerAlgorithm.whole.equals(innerAlgorithm.whole))
    throw new MalformedInput('two signature algorithms');
  if (issuer.parts.length === 0 || more.length > 0) throw new MalformedInput('certificate');
  if (extensions !== undefined && version !== 3) throw new MalformedInput('extensions need version 3');
  return {
    thumbprint: sha256(der),
    x509,
    publicKey: keyOf(x509),
    serialNumber,
    subject,
    issuer,
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    signatureAlgorithm: readSignatureAlgorithm(innerAlgorithm),
    extensions: readExtensions(extensions),
  };
}

function keyOf(x509: X509Certificate): KeyObject {
  try {
    return x509.publicKey;
  } catch {
    throw new MalformedInput('public key');
  }
}

function readVersion(element: DerElement | undefined): number {
  if (element === undefined) return 1;
  const fields = derFields(elementsOf(element.content));
  const version = readSmallInteger(fields.take(derTag.integer).content) + 1;
  fields.done();
  if (version > 3) throw new MalformedInput('version');
  return version;
}

const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  certificatePolicies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  inhibitAnyPolicy: '2.5.29.54',
} as const;
const distributionPointsOid = '2.5.29.31';
const authorityInfoOid = '1.3.6.1.5.5.7.1.1';
const ocspOid = '1.3.6.1.5.5.7.48.1';

// Policies can invalidate a path only if one of its certificates requires an explicit policy (RFC 5280 section 6.1.5).
// That takes policyConstraints, and such paths are refused. So nothing is lost by not processing these two.
const understoodOids: ReadonlySet<string> = new Set(Object.values(oids));

const digitalSignatureBit = 0;
const keyCertSignBit = 5;
const cRLSignBit = 6;

/**
 * The extensions of a list, by their object identifiers, in a certificate, a request or a list.
 * @throws MalformedInput also for one that is there twice
 */
export function readExtensionList(
  list: readonly DerElement[],
): ReadonlyMap<string, { readonly value: Buffer; readonly isCritical: boolean }> {
  const found = new Map<string, { readonly value: Buffer; readonly isCritical: boolean }>();
  for (const extension of list) {
    const fields = derFields(childrenOf(extension, derTag.sequence));
    const oid = readObjectIdentifier(fields.take(derTag.objectIdentifier));
    const criticality = fields.takeIf(derTag.boolean);
    const isCritical = criticality !== undefined && readBoolean(criticality);
    if (found.has(oid)) throw new MalformedInput('extension twice');
    found.set(oid, { value: fields.take(derTag.octetString).content, isCritical });
    fields.done();
  }
  return found;
}

function readExtensions(element: DerElement | undefined) {
  const values = readExtensionList(
    element === undefined ? [] : childrenOf(readDer(element.content), derTag.sequence),
  );
  const unknownCritical = [...values].flatMap(([oid, { isCritical }]) =>
    isCritical && !understoodOids.has(oid) ? [oid] : [],
  );
  const read = <T>(oid: string, reader: (value: Buffer) => T): T | undefined => {
    const extension = values.get(oid);
    return extension === undefined ? undefined : reader(extension.value);
  };
  const { isCa = false, pathLength } = read(oids.basicConstraints, readBasicConstraints) ?? {};
  return {
    isCa,
    /** How many further authorities may follow that are not self-issued; undefined: any number. */
    pathLength,
    /** Undefined: not limited. */
    keyUsage: read(oids.keyUsage, readKeyUsage),
    /** Object identifiers. Undefined: not limited. */
    extendedKeyUsages: read(oids.extendedKeyUsage, readExtendedKeyUsages),
    alternativeNames: read(oids.subjectAltName, readAlternativeNames) ?? [],
    nameConstraints: read(oids.nameConstraints, readNameConstraints),
    hasPolicyConstraints: values.has(oids.policyConstraints),
    /** Object identifiers of critical extensions that are not understood. */
    unknownCritical,
    /** Hex. Only hints which of several issuers of the same name to try first. */
    subjectKeyId: read(oids.subjectKeyId, readSubjectKeyId),
    authorityKeyId: read(oids.authorityKeyId, readAuthorityKeyId),
    /** Where to ask whether it was revoked: OCSP responders, and the addresses of the list that covers it. */
    ocspAddresses: read(authorityInfoOid, readOcspAddresses) ?? [],
    listAddresses: read(distributionPointsOid, readListAddresses) ?? [],
  };
}

function readBasicConstraints(value: Buffer) {
  const fields = derFields(childrenOf(readDer(value), derTag.sequence));
  const cA = fields.takeIf(derTag.boolean);
  const length = fields.takeIf(derTag.integer);
  fields.done();
  return {
    isCa: cA !== undefined && readBoolean(cA),
    pathLength: length === undefined ? undefined : readSmallInteger(length.content),
  };
}

function readKeyUsage(value: Buffer) {
  const bit = readNamedBits(readDer(value));
  return {
    digitalSignature: bit(digitalSignatureBit),
    keyCertSign: bit(keyCertSignBit),
    cRLSign: bit(cRLSignBit),
  };
}

function readExtendedKeyUsages(value: Buffer): string[] {
  const usages = childrenOf(readDer(value), derTag.sequence).map(readObjectIdentifier);
  if (usages.length === 0) throw new MalformedInput('no extended key usage');
  return usages;
}

function readSubjectKeyId(value: Buffer): string {
  const fields = derFields([readDer(value)]);
  return fields.take(derTag.octetString).content.toString('hex');
}

function readAuthorityKeyId(value: Buffer): string | undefined {
  const [first] = childrenOf(readDer(value), derTag.sequence);
  return first?.tag === contextTag(0, 'primitive') ? first.content.toString('hex') : undefined;
}

// A client is not refused when these two have another form: they only tell where to ask.
function readOcspAddresses(value: Buffer): string[] {
  return orNone(() =>
    childrenOf(readDer(value), derTag.sequence).flatMap((description) => {
      const [method, location] = childrenOf(description, derTag.sequence);
      return readObjectIdentifier(method) === ocspOid ? addressOf(location) : [];
    }),
  );
}

/** Of a list of distribution points (RFC 5280 section 4.2.1.13). */
export function readListAddresses(value: Buffer): string[] {
  return orNone(() =>
    childrenOf(readDer(value), derTag.sequence).flatMap((point) => {
      const [name] = childrenOf(point, derTag.sequence);
      return name?.tag === contextTag(0) ? addressesOfPoint(name) : [];
    }),
  );
}

/** The URLs of a DistributionPointName. @throws MalformedInput */
export function addressesOfPoint(name: DerElement): string[] {
  const [full] = elementsOf(name.content);
  return full?.tag === contextTag(0) ? elementsOf(full.content).flatMap(addressOf) : [];
}

function addressOf(name: DerElement | undefined): string[] {
  return name?.tag === contextTag(6, 'primitive') ? [readAscii(name.content)] : [];
}

function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return [];
  }
}

/** A name in a certificate, or in a name constraint; `other` is any form that is not understood here. */
export type GeneralName =
  | { readonly form: 'email' | 'dns' | 'uri'; readonly text: string }
  /** In a certificate: an address. In a constraint: an address and its mask. */
  | { readonly form: 'ip'; readonly bytes: Buffer }
  | { readonly form: 'directory'; readonly name: DistinguishedName }
  | { readonly form: 'other'; readonly tag: number };

export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

const textForms: ReadonlyMap<number, 'email' | 'dns' | 'uri'> = new Map([
  [contextTag(1, 'primitive'), 'email'],
  [contextTag(2, 'primitive'), 'dns'],
  [contextTag(6, 'primitive'), 'uri'],
]);
const otherForms: ReadonlySet<number> = new Set([
  contextTag(0),
  contextTag(3),
  contextTag(5),
  contextTag(8, 'primitive'),
]);

/** The value of the extension subjectAltName. @throws MalformedInput @see RFC 5280 section 4.2.1.6 */
export function readAlternativeNames(value: Buffer): GeneralName[] {
  const names = childrenOf(readDer(value), derTag.sequence).map(readGeneralName);
  if (names.length === 0) throw new MalformedInput('no alternative name');
  for (const name of names)
    if (name.form === 'ip' && name.bytes.length !== 4 && name.bytes.length !== 16)
      throw new MalformedInput('IP address');
  return names;
}

/** The value of the extension nameConstraints. @throws MalformedInput @see RFC 5280 section 4.2.1.10 */
export function readNameConstraints(value: Buffer): NameConstraints {
  const fields = derFields(childrenOf(readDer(value), derTag.sequence));
  const permitted = readSubtrees(fields.takeIf(contextTag(0)));
  const excluded = readSubtrees(fields.takeIf(contextTag(1)));
  fields.done();
  if (permitted.length + excluded.length === 0) throw new MalformedInput('no name constraint');
  return { permitted, excluded };
}

function readSubtrees(element: DerElement | undefined): GeneralName[] {
  if (element === undefined) return [];
  return elementsOf(element.content).map((subtree) => {
    // A minimum and a maximum depth could follow, but RFC 5280 allows neither.
    const [base, ...depths] = childrenOf(subtree, derTag.sequence);
    if (base === undefined || depths.length > 0) throw new MalformedInput('name constraint');
    const name = readGeneralName(base);
    if (name.form === 'ip' && !isAddressAndMask(name.bytes)) throw new MalformedInput('name constraint');
    return name;
  });
}

function readGeneralName(element: DerElement): GeneralName {
  const form = textForms.get(element.tag);
  if (form !== undefined) return { form, text: readName(element.content) };
  if (element.tag === contextTag(7, 'primitive')) return { form: 'ip', bytes: element.content };
  if (element.tag === contextTag(4)) {
    const [name, ...rest] = elementsOf(element.content);
    if (rest.length > 0) throw new MalformedInput('directory name');
    return { form: 'directory', name: readDistinguishedName(name) };
  }
  if (otherForms.has(element.tag)) return { form: 'other', tag: element.tag };
  throw new MalformedInput('name of an unknown form');
}

// A zero byte ends a text for some parsers. No name needs one, or any other control character.
function readName(content: Buffer): string {
  const text = readAscii(content);
  if (content.some((byte) => byte < 0x20 || byte === 0x7f))
    throw new MalformedInput('control character in a name');
  return text;
}

function isAddressAndMask(bytes: Buffer): boolean {
  if (bytes.length !== 8 && bytes.length !== 32) return false;
  const mask = bytes.subarray(bytes.length / 2).toString('hex');
  const bits = [...mask].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  return /^1*0*$/.test(bits);
}
