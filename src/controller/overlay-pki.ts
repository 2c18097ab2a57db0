// The authorities of the overlay's own PKI, from the files that the configuration names.

import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type SigningAuthority, signingAuthority } from '../certificates/client-certificate-issuer.ts';
import type { Config, Listener } from '../config/config.ts';
import type { AuthorityList } from '../enrollment/published-authorities.ts';
import type { OwnCertificate } from '../http/request/services.ts';
import type { CertificateEnd } from '../http/server/metrics.ts';
import type { NodeAuthorities } from '../model/node.ts';
import type { Clock } from '../platform/clock.ts';
import { MalformedInput } from '../platform/formats/strict-input.ts';
import type { Logger } from '../platform/log/logger.ts';
import { readText } from '../platform/read-file.ts';
import { certificateBundle } from '../platform/x509/certificate-bundle.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import { describeRefusal } from '../platform/x509/path-refusal.ts';
import { anchorProblem } from '../platform/x509/path-validation.ts';
import {
  certificateFacts,
  displaySubject,
  isIssuedBy,
  isSameKey,
  parseCertificates,
} from '../platform/x509/x509.ts';
import { type EnrollmentIdentity, enrollmentSigner } from '../tokens/enrollment-jwt.ts';

/** A file of the overlay's PKI cannot be used; the message is a sentence for the operator. */
export class PkiFileError extends Error {
  override readonly name = 'PkiFileError';
}

/** The overlay's own PKI: the authorities that it trusts, and what signs client certificates and enrollment JWTs. */
export type OverlayPki = ReturnType<typeof readOverlayPki>;

/** @throws PkiFileError a file of it cannot be used */
export function readOverlayPki(needs: { config: Config; clock: Clock; log: Logger }) {
  const { config } = needs;
  return {
    ownAuthorities: readOverlayAuthorities(needs),
    signing: readSigningAuthority(config),
    /** The authorities that clients are told to trust, by the name of the listener. */
    published: readPublishedAuthorities(config),
    enrollmentIdentity: readEnrollmentIdentity(config),
  };
}

/**
 * Every certificate in the default identity's `ca`, and the one that signs enrolled certificates. The `ca` of a
 * listener's own identity does not count: it may list the authorities of a public certificate, from which anybody can
 * get one. Certificates that cannot end a path are skipped with a warning.
 * @throws PkiFileError, or what reading a file throws
 */
export function readOverlayAuthorities(needs: {
  config: Pick<Config, 'identity' | 'edge'>;
  clock: Clock;
  log: Logger;
}): readonly PathCertificate[] {
  const { config, clock, log } = needs;
  const { signingCert } = config.edge.enrollment;
  const anchors = new Map<string, PathCertificate>();
  const add = (file: string, der: Uint8Array, subject: string) => {
    const refused = (problem: string) =>
      log.warn('a certificate is not used as authority', { file, subject, problem });
    try {
      const anchor = readPathCertificate(der);
      const problem = anchorProblem(anchor, clock.now());
      // Each login notices a later expiry.
      if (problem !== undefined && problem.reason !== 'expired' && problem.reason !== 'not-yet-valid')
        refused(describeRefusal(problem));
      else anchors.set(anchor.thumbprint, anchor);
    } catch (error) {
      if (!(error instanceof MalformedInput)) throw error;
      refused(error.reason);
    }
  };
  for (const each of certificatesIn(config.identity.caFile))
    add(config.identity.caFile, each.raw, displaySubject(each));
  if (signingCert !== null) {
    const [signing] = certificatesIn(signingCert.certFile);
    if (signing !== undefined) add(signingCert.certFile, signing.raw, displaySubject(signing));
  }
  return [...anchors.values()];
}

/**
 * The authority that signs client certificates; null when the configuration names none.
 * @throws PkiFileError, or what reading a file throws
 */
function readSigningAuthority(config: Pick<Config, 'edge'>): SigningAuthority | null {
  const { signingCert } = config.edge.enrollment;
  if (signingCert === null) return null;
  const { certFile, keyFile } = signingCert;
  const certificates = certificatesIn(certFile);
  const keyPem = readText(keyFile);
  try {
    return signingAuthority(duringRotation(certFile, keyPem) ?? certificates, keyPem);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    const files = `edge.enrollment.signingCert (${certFile}, ${keyFile})`;
    throw new PkiFileError(`Client certificates cannot be signed with ${files}: ${error.reason}.`, {
      cause: error,
    });
  }
}

/** While `pki rotate` exchanges the files, which may be interrupted, the key comes first: its certificate is beside. */
function duringRotation(certFile: string, keyPem: string): readonly X509Certificate[] | undefined {
  const places = ['', '.next', '.previous']
    .map((place) => certFile + place)
    .filter((file) => existsSync(file));
  if (places.length === 1) return undefined;
  const key = createPrivateKey(keyPem);
  return places.map(certificatesIn).find(([authority]) => authority?.checkPrivateKey(key) === true);
}

/**
 * The authorities that clients of each listener trust: the overlay's own, those that the listener's identity names, and
 * those in the chain that it presents.
 * @throws PkiFileError, or what reading a file throws
 */
function readPublishedAuthorities(
  config: Pick<Config, 'identity' | 'listeners'>,
): ReadonlyMap<string, AuthorityList> {
  return new Map(
    config.listeners.map(({ name, identity }) => {
      const files = [config.identity.caFile, identity.caFile, identity.serverCertFile];
      const authorities = files.flatMap(certificatesIn).filter(({ ca }) => ca);
      const distinct = [...new Map(authorities.map((each) => [each.fingerprint256, each])).values()];
      const base64 = certificateBundle(distinct).toString('base64');
      return [name, { pem: distinct.map(String).join(''), pkcs7: base64.replaceAll(/.{1,64}/g, '$&\n') }];
    }),
  );
}

/**
 * The certificates that the configuration names, each once for each use: those that listeners present with what issued
 * them, the authorities of the overlay, and what signs client certificates.
 * @throws PkiFileError, or what reading a file throws
 */
export function readOwnCertificates({
  identity,
  listeners,
  edge,
}: Pick<Config, 'identity' | 'listeners' | 'edge'>): readonly OwnCertificate[] {
  const { signingCert } = edge.enrollment;
  const files: readonly (readonly [OwnCertificate['use'], readonly string[]])[] = [
    ['server', listeners.map((listener) => listener.identity.serverCertFile)],
    ['authority', [identity.caFile]],
    ['client-signing', signingCert === null ? [] : [signingCert.certFile]],
  ];
  const read = files.flatMap(([use, named]) =>
    [...new Set(named)].map((file) => ({ use, file, certificates: certificatesIn(file) })),
  );
  const authorities = read.flatMap(({ use, certificates }) => (use === 'server' ? [] : certificates));
  const ofServers = read.flatMap(({ use, certificates }) =>
    use === 'server' ? issuersAmong(authorities, certificates) : [],
  );
  const ofClients = read.find(({ use }) => use === 'client-signing')?.certificates[0];
  const signs = (held: X509Certificate): OwnCertificate['signs'] => [
    ...(ofServers.includes(held) ? (['server'] as const) : []),
    ...(ofClients !== undefined && isSameKey(held, ofClients) ? (['clients'] as const) : []),
  ];
  return read.flatMap(({ use, file, certificates }) => {
    const presenting = listeners.filter(({ identity: { serverCertFile } }) => serverCertFile === file);
    const of = use === 'server' ? presenting.map(({ name }) => name) : [];
    return certificates.map((held) => ({
      use,
      listeners: of,
      file,
      pem: String(held),
      signs: use === 'server' ? [] : signs(held),
      ...certificateFacts(held),
    }));
  });
}

/** The nearest authorities above what a listener presents: itself first, then what it sends with it. */
function issuersAmong(
  authorities: readonly X509Certificate[],
  presented: readonly X509Certificate[],
): readonly X509Certificate[] {
  let [of] = presented;
  for (let step = 0; of !== undefined && step < presented.length; step += 1) {
    const below = of;
    const found = authorities.filter((authority) => isIssuedBy(below, authority));
    if (found.length > 0) return found;
    of = presented.find((held) => held !== below && isIssuedBy(below, held));
  }
  return [];
}

/** The node's authorities, for the other nodes. */
export function nodeAuthorities(own: readonly OwnCertificate[]): NodeAuthorities {
  const authorities = own.filter(({ use, isCa }) => use !== 'server' && isCa);
  const signing = authorities.filter(({ signs }) => signs.length > 0);
  const thumbprints = (of: typeof own) => [...new Set(of.map(({ thumbprint }) => thumbprint))];
  return { trusted: thumbprints(authorities), signing: thumbprints(signing) };
}

/** When the first certificate of each use ends. */
export function certificateEnds(own: readonly OwnCertificate[]): readonly CertificateEnd[] {
  const byUse = Map.groupBy(own, ({ use }) => use);
  return [...byUse].map(([use, held]) => ({
    use,
    notAfter: Math.min(...held.map(({ notAfter }) => notAfter)),
  }));
}

/**
 * The signer of enrollment JWTs: the key of the listener that clients reach at the main address.
 * @param address where that listener really is; left out: as configured
 * @throws PkiFileError, or what reading a file throws
 */
export function readEnrollmentIdentity(
  config: Pick<Config, 'listeners' | 'edge'>,
  address = config.edge.api.address,
): EnrollmentIdentity {
  const { keyFile } = (listenerAt(config, config.edge.api.address) ?? config.listeners[0])?.identity ?? {};
  if (keyFile === undefined) throw new PkiFileError('No listener is configured.');
  const identity = { address, privateKey: readText(keyFile) };
  try {
    enrollmentSigner(identity);
    return identity;
  } catch (error) {
    const reason =
      error instanceof RangeError ? error.message : 'it holds no unencrypted private key in PEM form';
    throw new PkiFileError(`Enrollments cannot be signed with the key in ${keyFile}: ${reason}.`, {
      cause: error,
    });
  }
}

function listenerAt({ listeners }: Pick<Config, 'listeners'>, address: string): Listener | undefined {
  return listeners.find(({ bindPoints }) => bindPoints.some((point) => point.address === address));
}

function certificatesIn(file: string): ReturnType<typeof parseCertificates> {
  try {
    return parseCertificates(readText(file));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new PkiFileError(`${file} contains no certificates in PEM form, or a broken one.`, {
      cause: error,
    });
  }
}
