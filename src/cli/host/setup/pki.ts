import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { type Clock, DAY, type Millis } from '../../../platform/clock.ts';
import { tryFileLock } from '../../../platform/file-lock.ts';
import { ownerOnly, readable, readIfThere, writeWhole } from '../../../platform/whole-file.ts';
import type { CertifiedKey } from '../../../platform/x509/certificate-builder.ts';
import {
  type CertificateFacts,
  certificateFacts,
  isSameKey,
  parseCertificate,
  parseCertificates,
  pemCertificate,
} from '../../../platform/x509/x509.ts';
import { usageError } from '../../terminal/output.ts';
import type { HomePaths, PemPair } from './home.ts';

/** Authorities of the home outlive the certificates that they sign. */
export const authorityDays = 3650;
/** Clients refuse server certificates with a lifetime of much more than a year. */
export const serverDays = 397;
/** A certificate that expires sooner is renewed, or warned about if it is not ours to renew. */
const renewalTime: Millis = 30 * DAY;

export type Made = 'created' | 'renewed' | 'found';

interface MadeCertificate {
  readonly made: Made;
  readonly facts: CertificateFacts;
}

/** Names and addresses of the server certificate, in addition to those that each has. */
export interface ServerNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/** Sorts hosts into names and addresses, after those that every server certificate of a home has. */
export function serverNames(hosts: readonly string[]): ServerNames {
  const all = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])];
  return { dns: all.filter((host) => isIP(host) === 0), ips: all.filter((host) => isIP(host) !== 0) };
}

/** The values of `--dns` and `--ip`, in this order. @throws CliError one is no name or no address */
export async function furtherHosts({ dns = [], ip = [] }: HostOptions): Promise<readonly string[]> {
  const notAnAddress = ip.find((text) => isIP(text) === 0);
  if (notAnAddress !== undefined)
    throw usageError(`${JSON.stringify(notAnAddress)} is not an IP address.`, 'use --dns for names');
  const { asciiName } = await pkiMaker();
  const notAName = dns.find((text) => asciiName(text) === undefined);
  if (notAName !== undefined)
    throw usageError(`${JSON.stringify(notAName)} is not a DNS name.`, 'use --ip for addresses');
  return [...dns, ...ip];
}

export interface HostOptions {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
}

/**
 * Creates the missing parts of the home's own PKI: a root authority, the authority that signs client certificates, and
 * the server certificate, which is also renewed before it expires. A pair exists if its certificate does, because that
 * is written last.
 */
export async function ensurePki(
  needs: { readonly clock: Clock },
  paths: HomePaths,
  names: ServerNames,
): Promise<Readonly<Record<'rootCa' | 'clientCa' | 'server', MadeCertificate>>> {
  const root = await ensureAuthority(paths.rootCa, async () => {
    const { createRootCa } = await pkiMaker();
    return createRootCa(needs, { commonName: 'Overlay Auth root CA', days: authorityDays });
  });
  const client = await ensureAuthority(paths.clientCa, async () => {
    const { createIntermediateCa } = await pkiMaker();
    const ca = signingPair(paths.rootCa);
    return createIntermediateCa(needs, { commonName: 'Overlay Auth client CA', days: authorityDays, ca });
  });
  trustIn(
    paths.caBundle,
    [root, client].map(({ certPem }) => parseCertificate(certPem)),
  );
  return { rootCa: root, clientCa: client, server: await ensureServerCertificate(needs, paths, names) };
}

async function ensureServerCertificate(
  needs: { readonly clock: Clock },
  paths: HomePaths,
  names: ServerNames,
): Promise<MadeCertificate> {
  const existing = readPair(paths.server);
  if (existing === undefined) return { made: 'created', facts: await issueServer(needs, paths, names) };
  const facts = await renewEndingCertificate(needs, paths, paths.caBundle);
  return facts === null ? { made: 'found', facts: factsOf(existing.certPem) } : { made: 'renewed', facts };
}

/**
 * Renews the home's server certificate within thirty days of its end, for the same names and with the same key, so that
 * enrollment JWTs which were handed out stay good. One that is not valid yet was made while the clock was wrong, and is
 * renewed too.
 * @param caFile its lock is that of `pki renew` and `pki rotate`
 * @returns null if it is not due, or not while a command changes the same files; and if operators keep the root key
 * elsewhere: they are warned, and renew by hand
 */
export async function renewEndingCertificate(
  needs: { readonly clock: Clock },
  paths: HomePaths,
  caFile: string,
): Promise<CertificateFacts | null> {
  if (renewable(needs, paths) === null) return null;
  using lock = tryFileLock(`${caFile}.lock`);
  const server = lock === null ? null : renewable(needs, paths);
  // Awaited, so that the lock is held until it is written.
  return server === null ? null : await issueServer(needs, paths, server);
}

/** Names and key of the next server certificate; null: none is due, or it cannot be issued here. */
function renewable({ clock }: { readonly clock: Clock }, paths: HomePaths) {
  const existing = readPair(paths.server);
  if (existing === undefined || readPair(paths.rootCa) === undefined) return null;
  const facts = factsOf(existing.certPem);
  const now = clock.now();
  const isDue = facts.notAfter - now < renewalTime || facts.notBefore > now;
  const keepsKey = belongTogether(existing);
  if (keepsKey && !isDue) return null;
  return { ...namesOf(facts), keyPem: keepsKey ? existing.keyPem : undefined };
}

/**
 * Issues a new server certificate, for the names in the present one and some more.
 * @param wanted.newKey another key instead of the present one; so it is without a usable one
 * @throws MissingAuthority the home does not contain certificate and key of a root authority
 */
export async function renewServerCertificate(
  needs: { readonly clock: Clock },
  paths: HomePaths,
  wanted: { readonly more: readonly string[]; readonly newKey: boolean },
): Promise<CertificateFacts> {
  const present = readIfThere(paths.server.cert);
  const { dns, ips } = present === undefined ? { dns: [], ips: [] } : namesOf(factsOf(present));
  const pair = wanted.newKey ? undefined : readPair(paths.server);
  const keyPem = pair !== undefined && belongTogether(pair) ? pair.keyPem : undefined;
  return issueServer(needs, paths, { ...serverNames([...dns, ...ips, ...wanted.more]), keyPem });
}

/** A certificate cannot be issued, because the home's authority is missing. */
export class MissingAuthority extends Error {
  override readonly name = 'MissingAuthority';
  readonly path: string;
  constructor(path: string) {
    super(`the key of the certificate authority is not at ${path}`);
    this.path = path;
  }
}

export function namesOf({ subjectAltNames }: CertificateFacts): ServerNames {
  return { dns: subjectAltNames.dns, ips: subjectAltNames.ips.map(shortAddress) };
}

/** A certificate contains an IPv6 address with all its zeros. */
export function shortAddress(ip: string): string {
  return isIP(ip) === 6 ? new URL(`https://[${ip}]`).hostname.slice(1, -1) : ip;
}

async function issueServer(
  needs: { readonly clock: Clock },
  paths: HomePaths,
  { dns, ips, keyPem }: ServerNames & { readonly keyPem?: string | undefined },
): Promise<CertificateFacts> {
  const { issueServerCertificate } = await pkiMaker();
  const ca = signingPair(paths.rootCa);
  const pair = await issueServerCertificate(needs, { dnsNames: dns, ips, days: serverDays, ca, keyPem });
  writePair(paths.server, { ...pair, certPem: withCross(paths, pair.certPem) });
  return factsOf(pair.certPem);
}

/**
 * The certificate of a server and, while the root is rotated, what leads clients that trust only the other root to the
 * one that issued it.
 */
export function withCross({ rootCa, rootCross }: HomePaths, certPem: string): string {
  const [root, cross] = [rootCa.cert, rootCross].map(readIfThere);
  const leaf = withLineEnd(String(parseCertificate(certPem)));
  if (root === undefined || cross === undefined) return leaf;
  const issuer = parseCertificate(root);
  return [leaf, ...parseCertificates(cross).filter((held) => isSameKey(held, issuer))].join('');
}

/** An authority exists if its certificate does; the key may be kept elsewhere. */
async function ensureAuthority(
  paths: PemPair,
  make: () => Promise<CertifiedKey>,
): Promise<MadeCertificate & { readonly certPem: string }> {
  const existing = readIfThere(paths.cert);
  if (existing !== undefined) return { made: 'found', certPem: existing, facts: factsOf(existing) };
  const pair = await make();
  writePair(paths, pair);
  const certPem = withLineEnd(pair.certPem);
  return { made: 'created', certPem, facts: factsOf(certPem) };
}

/** @throws MissingAuthority certificate or key is missing */
export function signingPair(paths: PemPair): CertifiedKey {
  const pair = readPair(paths);
  if (pair === undefined) throw new MissingAuthority(paths.key);
  return pair;
}

function writePair(paths: PemPair, { certPem, keyPem }: CertifiedKey): void {
  writeWhole(paths.key, keyPem, ownerOnly);
  writeWhole(paths.cert, withLineEnd(certPem), readable);
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

export function readPair(paths: PemPair): CertifiedKey | undefined {
  const certPem = readIfThere(paths.cert);
  const keyPem = readIfThere(paths.key);
  return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
}

export function belongTogether({ certPem, keyPem }: CertifiedKey): boolean {
  return parseCertificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
}

function factsOf(certPem: string): CertificateFacts {
  return certificateFacts(parseCertificate(certPem));
}

/** Loading the certificate builder takes a while, so only runs that issue one do it. */
function pkiMaker() {
  return import('../../../platform/x509/pki.ts');
}

// The file with the authorities that the controller trusts as its own PKI. Others that were added to it, for example by
// an import, and texts between them, stay.

/** Adds certificates that are not in the file yet, first; makes the file if there is none. */
export function trustIn(file: string, certificates: readonly X509Certificate[]): void {
  const text = readIfThere(file);
  const present = trustedIn(file);
  const missing = certificates.filter((one) => !isAmong(present, one));
  if (missing.length === 0) return;
  const mode = text === undefined ? readable : statSync(file).mode & 0o777;
  writeWhole(file, missing.map(String).join('') + (text ?? ''), mode);
}

/** Removes certificates from the file. */
export function distrustIn(file: string, certificates: readonly X509Certificate[]): void {
  const text = readIfThere(file) ?? '';
  const rest = text.replaceAll(pemCertificate, (block) =>
    isAmong(certificates, parseCertificate(block)) ? '' : block,
  );
  if (rest === text) return;
  writeWhole(file, rest.replaceAll(/\n{2,}/g, '\n').trimStart(), statSync(file).mode & 0o777);
}

/** @throws MalformedInput one cannot be read */
export function trustedIn(file: string): readonly X509Certificate[] {
  return (readIfThere(file)?.match(pemCertificate) ?? []).map((block) => parseCertificate(block));
}

export function isAmong(certificates: readonly X509Certificate[], one: X509Certificate): boolean {
  return certificates.some(({ raw }) => raw.equals(one.raw));
}
