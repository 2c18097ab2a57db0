// Decides which authority a server's certificate has to come from. An unknown one is never trusted silently: either the
// operator's files name it, or a person has compared a fingerprint.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { isIP } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import {
  type ConnectionOptions,
  connect,
  type DetailedPeerCertificate,
  getCACertificates,
  type TLSSocket,
} from 'node:tls';
import { SECOND } from '../../../platform/clock.ts';
import { readCertificateBundle } from '../../../platform/x509/certificate-bundle.ts';
import { isIssuedBy, isSelfSigned, parseCertificates } from '../../../platform/x509/x509.ts';
import { CliError, notice, type Report } from '../../terminal/output.ts';
import { canPrompt, confirm } from '../../terminal/prompt.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { isUnknownIssuer, transportFailure } from './answer-failure.ts';
import type { Trust } from './credentials-store.ts';
import { isLoopback } from './server-url.ts';

/** The trusted certificates to pass to TLS; undefined means Node's own roots. */
export function trustedCertificates(trust: Trust | undefined): readonly string[] | undefined {
  if (trust === undefined) return undefined;
  // Reading the system's roots takes tens of milliseconds, so they are read only if needed.
  return trust === 'system'
    ? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
    : [trust.caPem];
}

/**
 * Finds the trust under which the server at `origin` can be verified. Asks at a terminal as a last resort.
 * Tries in this order: `--ca` alone; the authority of an earlier login; Node's roots; the authorities of the identity
 * file; the certificate authority of a controller set up on this computer; the system's roots.
 *
 * @param saved    the trust of an earlier login to this origin
 * @param identity the identity file used for the login, if it is for this origin
 * @throws CliError exit 1 when nothing fits, exit 5 when the server cannot be reached
 */
export async function establishTrust(
  report: Report,
  origin: string,
  {
    caFile,
    saved,
    identity,
  }: {
    caFile: string | undefined;
    saved: Trust | undefined;
    identity: { readonly caPem: string | undefined } | undefined;
  },
): Promise<Trust | undefined> {
  if (caFile !== undefined) return trustOfFile(report, origin, caFile);
  const first = await probe(origin, saved);
  if (first.isTrusted) return saved;
  if (saved !== undefined && (await probe(origin, undefined)).isTrusted) return undefined;
  const caPem = identity?.caPem;
  if (caPem !== undefined && (await probe(origin, { caPem })).isTrusted) return { caPem };
  const local = await localAuthority(report, origin);
  if (local !== undefined) return local;
  if ((await probe(origin, 'system')).isTrusted) return 'system';
  const top = first.top.ca ? first.top : ((await publishedRoot(origin, first.top)) ?? first.top);
  return askForTrust(report, origin, { top, saved });
}

interface Probe {
  readonly isTrusted: boolean;
  /** The last certificate of the chain that the server sent: its root, or the nearest to it. */
  readonly top: X509Certificate;
}

const handshakeLimit = 10 * SECOND;

/**
 * Makes a TLS connection, sends nothing, and says whether the server could be verified.
 * @throws CliError for every failure other than an unknown issuer
 */
function probe(origin: string, trust: Trust | undefined): Promise<Probe> {
  const ca = trustedCertificates(trust);
  const options = { allowPartialTrustChain: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  return withServer(origin, options, (socket) => {
    const { authorized: isTrusted } = socket;
    const code = verdictOf(socket.authorizationError);
    if (isTrusted || isUnknownIssuer(code))
      return { isTrusted, top: topOfChain(socket.getPeerCertificate(true)) };
    throw transportFailure(origin, Object.assign(new Error(code ?? 'not authorized'), { code }));
  });
}

/** The certificate that the server at `origin` presents. Nothing is verified. @throws CliError it cannot be reached */
export function presentedCertificate(origin: string): Promise<X509Certificate> {
  return withServer(origin, {}, (socket) => new X509Certificate(socket.getPeerCertificate(false).raw));
}

/** Reads something of a TLS connection, which is closed before anything is sent. */
function withServer<T>(origin: string, given: ConnectionOptions, read: (socket: TLSSocket) => T): Promise<T> {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const socket = connect({
    ...given,
    host,
    port: Number(url.port || 443),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: false,
  });
  socket.setTimeout(handshakeLimit, () =>
    socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
  );
  socket.once('error', (error) => reject(transportFailure(origin, error)));
  socket.once('secureConnect', () => {
    try {
      resolve(read(socket));
    } catch (error) {
      reject(error);
    }
    socket.destroy();
  });
  return promise;
}

// The declared type is Error, but a failed verification passes only the code.
function verdictOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function topOfChain(leaf: DetailedPeerCertificate): X509Certificate {
  let top = leaf;
  const seen = new Set<DetailedPeerCertificate>();
  while (
    top.issuerCertificate !== undefined &&
    !seen.has(top) &&
    Object.keys(top.issuerCertificate).length > 0
  ) {
    seen.add(top);
    top = top.issuerCertificate;
  }
  return new X509Certificate(top.raw);
}

async function trustOfFile(report: Report, origin: string, caFile: string): Promise<Trust> {
  const caPem = await readNamedFile(report.ports, caFile, 'CA file');
  try {
    parseCertificates(caPem);
  } catch {
    throw new CliError(`${caFile} contains no certificate in PEM form, or a broken one.`, {
      code: 'ca_file_invalid',
      next: 'check the file named by --ca',
    });
  }
  const trust = { caPem };
  if ((await probe(origin, trust)).isTrusted) return trust;
  throw new CliError(`The certificate of ${origin} was not issued by the authority in ${caFile}.`, {
    code: 'server_untrusted',
    next: 'check the address and the file named by --ca',
  });
}

/**
 * The certificate authority of a controller that this user set up on this computer. A folder in OVERLAY_AUTH_HOME is
 * the user's choice and applies to any address. `./.overlay` may have come with a stranger's files, so it only
 * vouches for addresses of this computer.
 */
async function localAuthority(report: Report, origin: string): Promise<Trust | undefined> {
  const named = report.ports.env.OVERLAY_AUTH_HOME;
  const home = named || (isLoopback(origin) ? '.overlay' : undefined);
  if (home === undefined) return undefined;
  for (const name of ['root-ca.cert.pem', 'ca.cert.pem']) {
    const path = resolvePath(report.ports.cwd, home, 'pki', name);
    const caPem = await readFile(path, 'utf8').catch(() => undefined);
    if (caPem?.includes('-----BEGIN CERTIFICATE-----') !== true) continue;
    if ((await probe(origin, { caPem })).isTrusted) {
      notice(report, `Trusting the certificate authority of the controller set up here: ${path}`);
      return { caPem };
    }
  }
  return undefined;
}

async function askForTrust(
  report: Report,
  origin: string,
  { top, saved }: { top: X509Certificate; saved: Trust | undefined },
): Promise<Trust> {
  const { ports } = report;
  const was = savedFingerprint(saved);
  const happened =
    was === undefined
      ? `The certificate of ${origin} was issued by an authority that is not known here.`
      : `The certificate authority of ${origin} is not the one that was trusted before.`;
  if (!canPrompt(ports) || report.json)
    throw new CliError(
      `${happened} SHA-256 fingerprint of the ${top.ca ? 'authority' : 'certificate'}: ${top.fingerprint256}`,
      {
        code: 'server_untrusted',
        next: `overlay-auth login ${origin} --ca FILE   (FILE: the CA certificate, from the operator)`,
      },
    );
  notice(report, happened);
  if (was !== undefined) notice(report, `  before    ${was}`);
  notice(
    report,
    `  SHA-256   ${top.fingerprint256}   (${top.ca ? 'authority' : 'certificate of the server'})`,
  );
  notice(report, `  subject   ${top.subject.replaceAll('\n', ', ')}`);
  notice(report, `  valid to  ${top.validTo}`);
  notice(report, 'Compare the fingerprint with the one that the operator of the server gives you.');
  // Servers need not send their root or have a list of authorities. The certificate itself can be trusted too, until it
  // is renewed.
  const what = top.ca ? 'this authority' : 'this certificate, until it is renewed,';
  if (await confirm(ports, `Trust ${what} for this server?`)) return { caPem: top.toString() };
  throw new CliError('The server is not trusted; nothing was sent to it.', {
    code: 'server_untrusted',
    next: `overlay-auth login ${origin} --ca FILE`,
  });
}

function savedFingerprint(saved: Trust | undefined): string | undefined {
  return typeof saved === 'object' ? new X509Certificate(saved.caPem).fingerprint256 : undefined;
}

const largestList = 256 * 1024;
const mostSteps = 8;

/**
 * The root that a server names as its own (RFC 7030 section 4.1), if its certificate leads to it. Read over an
 * unverified connection: use it only to show it to a person, who compares it with the operator's.
 */
async function publishedRoot(origin: string, last: X509Certificate): Promise<X509Certificate | undefined> {
  let authorities: readonly X509Certificate[];
  try {
    const text = await unprovenAnswer(new URL('/.well-known/est/cacerts', origin));
    authorities = readCertificateBundle(Buffer.from(text, 'base64'));
  } catch {
    // Other kinds of servers have no such list. Then the certificate itself is shown.
    return undefined;
  }
  let top = last;
  for (let step = 0; step < mostSteps && !isSelfSigned(top); step += 1) {
    const issuer = authorities.find((each) => each.ca && isIssuedBy(top, each));
    if (issuer === undefined) break;
    top = issuer;
  }
  return top.ca ? top : undefined;
}

function unprovenAnswer(url: URL): Promise<string> {
  return new Promise((fulfil, fail) => {
    const agent = new Agent({ minVersion: 'TLSv1.2', rejectUnauthorized: false });
    const request = get(url, { agent, timeout: 10 * SECOND }, (answer) => {
      let text = '';
      answer.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > largestList) request.destroy(new Error('too long'));
      });
      answer.on('error', fail);
      answer.on('end', () => {
        if (answer.statusCode === 200) fulfil(text);
        else fail(new Error('no list'));
      });
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', fail);
  });
}
