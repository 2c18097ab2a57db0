// One request and its answer, or one connection, directly or through the proxy. Every connection is checked where it is
// made: the socket's own look-up checks the addresses of a name, and no second look-up follows. Behind a proxy, names
// and bare addresses are checked here, and the proxy decides where a name leads.

import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { withinTime } from '../within-time.ts';
import { type FetchRefusal, FetchRefused } from './fetch-refused.ts';
import { type AddressRefusal, bareHost, type OutboundLimits } from './outbound-targets.ts';
import type { TlsIdentity } from './outbound-trust.ts';

/** How to resolve names. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface OutboundMessage {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsIdentity;
}

export interface AnswerLimits {
  /** A longer body is refused, not cut. */
  readonly maxBytes: number;
  /** Answers with these statuses are returned like a 200 one: their body has the reason. */
  readonly failures?: readonly number[];
}

/** Where an answer sends the caller. */
export interface Redirection {
  readonly location: string;
}

/**
 * Resolves a name to its allowed addresses. The socket connects to these addresses, so an answer that changes between
 * check and use makes no difference.
 */
function checkedLookup(resolve: Resolve, refusal: AddressRefusal): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => refusal(address) === null);
        const [first] = allowed;
        const [refused] = found;
        if (refused === undefined) callback(new FetchRefused('name'), '');
        else if (first === undefined) callback(new FetchRefused(refusal(refused.address) ?? 'address'), '');
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      () => callback(new FetchRefused('name'), ''),
    );
  };
}

/** Where a request goes, and how. */
export interface Way {
  readonly target: URL;
  readonly context: SecureContext;
  readonly resolve: Resolve;
  readonly refusal: AddressRefusal;
  readonly proxy: string | null;
  readonly deadline: AbortSignal;
  readonly limits: Pick<OutboundLimits, 'timeout'>;
}

interface Hop extends Way {
  /** The body of a POST; null: GET. */
  readonly message: OutboundMessage | null;
  readonly accept: string;
  readonly authorization: string | undefined;
  readonly maxBytes: number;
}

/** Sends one request and reads its answer; follows nothing. @throws FetchRefused */
export async function send<T>(hop: Hop, read: (incoming: IncomingMessage) => Promise<T>): Promise<T> {
  const { target, context, resolve: look, refusal, deadline: signal, message } = hop;
  const isPlain = target.protocol === 'http:';
  const forwarded = isPlain ? await forwardingOf(hop) : null;
  const connection = isPlain ? null : await openConnection(hop, ['http/1.1']);
  // Importing this module loads another HTTP client of the runtime, which a start need not wait for.
  const ask = (forwarded?.isPlain ?? isPlain) ? (await import('node:http')).request : request;
  return new Promise((resolve, reject) => {
    // The abort does not end a look-up under way, so this needs its own listener.
    signal.addEventListener('abort', () => reject(new FetchRefused('timeout')), { once: true });
    const outgoing = ask(target, {
      method: message === null ? 'GET' : 'POST',
      // False means a new agent, which reads no proxy from the environment.
      ...(connection === null ? { agent: false } : { createConnection: () => connection }),
      ...(forwarded === null
        ? { lookup: checkedLookup(look, refusal) }
        : { ...forwarded.place, secureContext: context, rejectUnauthorized: true }),
      signal,
      maxHeaderSize: 16_384,
      headers: {
        accept: hop.accept,
        'accept-encoding': 'identity',
        'user-agent': 'overlay-auth',
        ...(message === null ? {} : { 'content-type': message.contentType, ...message.headers }),
        ...(hop.authorization === undefined ? {} : { authorization: hop.authorization }),
        ...forwarded?.headers,
      },
    });
    // A second safety net: however the runtime found an address, it is checked before a byte of the request is sent.
    outgoing.on('socket', (socket) => {
      let received = 0;
      socket.on('data', ({ length }: Buffer) => {
        received += length;
        if (received <= mostReceived(hop)) return;
        reject(new FetchRefused('too-large'));
        outgoing.destroy();
      });
      if (forwarded !== null) return;
      socket.on('connect', () => {
        const { remoteAddress = '' } = socket;
        const refused = refusal(remoteAddress);
        if (refused !== null) socket.destroy(new FetchRefused(refused));
      });
    });
    outgoing.on('error', (error) => reject(refusalOf(error, signal)));
    outgoing.on('response', (incoming) => {
      read(incoming)
        .then(resolve, (error: unknown) => reject(refusalOf(error, signal)))
        .finally(() => outgoing.destroy());
    });
    outgoing.end(message?.body);
  });
}

/**
 * Bytes of a whole answer, with its header and what counts as neither header nor body: interim answers (1xx), blank
 * lines, extensions of chunks. A body in chunks of one byte takes six times its length.
 */
function mostReceived({ maxBytes }: AnswerLimits): number {
  return 64 * 1024 + 8 * maxBytes;
}

/**
 * The proxy looks the name up itself, and decides where it leads. A name whose addresses are all refused here is not
 * asked for there; one that only the proxy can resolve is.
 */
async function checkBehindProxy({ target, proxy, resolve, refusal, limits }: Way): Promise<void> {
  const host = bareHost(target);
  if (proxy === null || isIP(host) !== 0) return;
  const unknown: readonly LookupAddress[] = [];
  const looked = await withinTime(resolve(host), limits.timeout / 4, 'slow').catch(() => unknown);
  const refusals = looked.map(({ address }) => refusal(address));
  const [refused] = refusals;
  if (refused && !refusals.includes(null)) throw new FetchRefused(refused);
}

/** How a request without TLS goes through the proxy; null: no proxy is to be used. */
async function forwardingOf(way: Way) {
  if (way.proxy === null) return null;
  await checkBehindProxy(way);
  return (await import('./proxy-tunnel.ts')).forwarding(new URL(way.proxy), way.target);
}

/** Connects with TLS, through the proxy if one is to be used. @param protocols for ALPN @throws FetchRefused */
export async function openConnection(way: Way, protocols: string[] = []): Promise<TLSSocket> {
  await checkBehindProxy(way);
  const { target, refusal, proxy, ...rest } = way;
  const { openDirectly, openTunnel } = await import('./proxy-tunnel.ts');
  const wanted = { ...rest, protocols, host: bareHost(target), port: target.port || '443' };
  try {
    if (proxy !== null) return await openTunnel(new URL(proxy), wanted);
    return await openDirectly({ ...wanted, lookup: checkedLookup(way.resolve, refusal) }, (address) => {
      const refused = refusal(address);
      return refused && new FetchRefused(refused);
    });
  } catch (error) {
    throw refusalOf(error, way.deadline);
  }
}

const redirectStatuses: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/**
 * Parts of a body, which come one by one: each costs two microseconds. Half a megabyte may come in parts of 28 bytes, and
 * a revocation list in TLS records of any usual size.
 */
function mostParts({ maxBytes }: AnswerLimits): number {
  return 16_384 + maxBytes / 256;
}

/** The body of an answer that is wanted. @throws FetchRefused */
export async function readAnswer(
  incoming: IncomingMessage,
  limits: AnswerLimits,
): Promise<Buffer | Redirection> {
  const { maxBytes, failures = [] } = limits;
  const { statusCode, headers } = incoming;
  if (redirectStatuses.has(statusCode) && headers.location !== undefined)
    return { location: headers.location };
  if (statusCode !== 200 && !failures.includes(statusCode ?? 0)) throw new FetchRefused('status');
  // Compressed bodies are not requested: unpacked they could have any size.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new FetchRefused('encoding');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchRefused('too-large');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > maxBytes || chunks.length >= mostParts(limits)) throw new FetchRefused('too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusalOf(error: unknown, signal: AbortSignal): FetchRefused {
  if (error instanceof FetchRefused) return error;
  if (signal.aborted) return new FetchRefused('timeout');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new FetchRefused(certificateRefusals[code] ?? (isTlsFailure(code) ? 'tls' : 'connection'), error);
}

const certificateRefusals: Readonly<Record<string, FetchRefusal>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-name',
  CERT_HAS_EXPIRED: 'tls-time',
  CERT_NOT_YET_VALID: 'tls-time',
};

function isTlsFailure(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_)/.test(code);
}
