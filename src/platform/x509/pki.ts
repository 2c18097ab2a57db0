// Issues certificates: the private PKI of a first start, and the client certificates of enrollment. All keys made here
// are P-256. Loading this takes a while: import it only where a certificate is issued.
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Clock } from '../clock.ts';
import {
  authorityExtensions,
  type CertifiedKey,
  certify,
  challengeExtension,
  contentOf,
  type Issuer,
  leafExtensions,
} from './certificate-builder.ts';

interface Needs {
  readonly clock: Clock;
}

/** A certificate begins five minutes in the past, for peers whose clock is behind, and never outlives its issuer. */
interface Validity {
  readonly days: number;
}

/** A self-signed authority. @throws RangeError common name empty or over 64 characters */
export async function createRootCa(
  needs: Needs,
  wanted: Validity & { commonName: string },
): Promise<CertifiedKey> {
  const { publicKey, privateKey } = newKeyPair();
  const { commonName: subject, days } = wanted;
  const issuer = { selfSignedWith: privateKey };
  const extensions = authorityExtensions();
  const certPem = await certify(needs, { subject, days, publicKey, extensions, issuer });
  return { certPem, keyPem: privatePem(privateKey) };
}

/**
 * Another certificate for name and key of an authority, such as one that leads from a new root to an old one.
 * @throws as createRootCa
 */
export function certifyAgain(
  needs: Needs,
  { certPem, ...wanted }: Validity & { readonly certPem: string; readonly issuer: Issuer },
): Promise<string> {
  return certify(needs, { ...contentOf(certPem), ...wanted });
}

/** An authority under `ca` that issues certificates, but no further authorities. @throws as createRootCa */
export async function createIntermediateCa(
  needs: Needs,
  wanted: Validity & { commonName: string; ca: CertifiedKey },
): Promise<CertifiedKey> {
  const { publicKey, privateKey } = newKeyPair();
  const { commonName: subject, days, ca } = wanted;
  const extensions = authorityExtensions(0);
  const certPem = await certify(needs, { subject, days, publicKey, extensions, issuer: { ca } });
  return { certPem, keyPem: privatePem(privateKey) };
}

/**
 * A certificate for a listener. Its names are among the alternative names, where clients look for them; one of them is
 * also the common name.
 * @param wanted.dnsNames may include non-ASCII names and wildcards
 * @param wanted.keyPem the private key to keep; a new one if left out
 * @throws RangeError no name of at most 64 characters, or one that is not a DNS name or IP address
 */
export async function issueServerCertificate(
  needs: Needs,
  wanted: Validity & {
    dnsNames: readonly string[];
    ips: readonly string[];
    ca: CertifiedKey;
    keyPem?: string | undefined;
  },
): Promise<CertifiedKey> {
  const dnsNames = wanted.dnsNames.map((name) => {
    const ascii = asciiName(name);
    if (ascii === undefined) throw new RangeError(`not a DNS name: ${JSON.stringify(name)}`);
    return ascii;
  });
  const notAnAddress = wanted.ips.find((ip) => isIP(ip) === 0);
  if (notAnAddress !== undefined) throw new RangeError(`not an IP address: ${JSON.stringify(notAnAddress)}`);
  const subject = [...dnsNames, ...wanted.ips].find((name) => name.length <= 64) ?? '';
  const extensions = leafExtensions('serverAuth', [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...wanted.ips.map((value) => ({ type: 'ip' as const, value })),
  ]);
  const { days, ca, keyPem = privatePem(newKeyPair().privateKey) } = wanted;
  const publicKey = createPublicKey(keyPem);
  const certPem = await certify(needs, { subject, days, publicKey, extensions, issuer: { ca } });
  return { certPem, keyPem };
}

export interface ClientCertificate extends Validity {
  readonly commonName: string;
  /** Alternative names, for example a SPIFFE id. */
  readonly uris?: readonly string[];
  readonly ca: CertifiedKey;
}

/** A client certificate with a new key. @throws RangeError common name empty or over 64 characters */
export async function issueClientCertificate(needs: Needs, wanted: ClientCertificate): Promise<CertifiedKey> {
  const { publicKey, privateKey } = newKeyPair();
  return { certPem: await certifyClientKey(needs, { ...wanted, publicKey }), keyPem: privatePem(privateKey) };
}

/** A client certificate (PEM) for a key of the client. @throws as issueClientCertificate */
export function certifyClientKey(
  needs: Needs,
  { commonName: subject, days, ca, uris = [], publicKey }: ClientCertificate & { publicKey: KeyObject },
): Promise<string> {
  const names = uris.map((value) => ({ type: 'url' as const, value }));
  const extensions = leafExtensions('clientAuth', names);
  return certify(needs, { subject, days, publicKey, extensions, issuer: { ca } });
}

/**
 * The certificate and key that answer a TLS-ALPN challenge, PEM, one after the other.
 * @param authorization SHA-256 of the key authorization
 * @see RFC 8737 section 3
 */
export async function challengeCertificate(
  needs: Needs,
  wanted: { readonly host: string; readonly authorization: Buffer },
): Promise<string> {
  const { publicKey, privateKey } = newKeyPair();
  const names = leafExtensions('serverAuth', [{ type: 'dns', value: wanted.host }]);
  const extensions = [...names, challengeExtension(wanted.authorization)];
  const issuer = { selfSignedWith: privateKey };
  const subject = 'ACME challenge';
  const certPem = await certify(needs, { subject, days: 1, publicKey, extensions, issuer });
  return certPem + privatePem(privateKey);
}

/** A new P-256 key, PKCS #8 in PEM. */
export function newPrivateKey(): string {
  return privatePem(newKeyPair().privateKey);
}

function newKeyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function privatePem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** A DNS name as certificates contain it; undefined for a text that is none. */
export function asciiName(name: string): string | undefined {
  // domainToASCII alone would read "a/b" as "a", and "0x7f.1" as an address.
  const ascii = foreignInName.test(name) ? '' : domainToASCII(name);
  return ascii === '' || foreignInName.test(ascii) || isIP(ascii) !== 0 ? undefined : ascii;
}

const foreignInName = /[^A-Za-z0-9.*_\u0080-\u{10ffff}-]/u;
