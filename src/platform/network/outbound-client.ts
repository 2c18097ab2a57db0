// The only way in which this service calls other servers: HTTPS, by node:https; HTTP for what is signed. Addresses come from administrators and
// redirects from strangers, so every connection is checked where it is made: the socket's own look-up checks the
// addresses of a name, and no second look-up follows. Behind a proxy, names and bare addresses are checked here, and the
// proxy decides where a name leads.

import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { Millis } from '../clock.ts';
import { withinTime } from '../within-time.ts';
import {
  type AddressLimits,
  type AddressRange,
  addressRule,
  addressSet,
  isPlainLoopback,
  longestUrl,
} from './address-rules.ts';
import { FetchRefused } from './fetch-refused.ts';
import { type TlsIdentity, trustingContexts } from './outbound-trust.ts';

export interface OutboundLimits extends AddressLimits {
  /** For the whole fetch, including redirects. */
  readonly timeout: Millis;
  readonly maxRedirects: number;
  /**
   * Exact names in lower case. An empty list allows every name; any other list also refuses bare addresses. Hosts on it
   * may have private addresses.
   */
  readonly allowedHostnames: readonly string[];
  readonly deniedHostnames: readonly string[];
  /** Exact names in lower case that may be asked beside all others, and may have private addresses. */
  readonly additionalHostnames: readonly string[];
  /** URL of the proxy through which other hosts are asked, with user and password; null: none. */
  readonly proxy: string | null;
  /** Asked without it: a name in lower case, `.example.com` for everything below a domain, or addresses. */
  readonly noProxy: readonly (string | AddressRange)[];
}

export interface OutboundNeeds {
  /** How to resolve names. Default: as the system does, with its hosts file. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
  /** Trusted roots (PEM), in addition to those of the system and of NODE_EXTRA_CA_CERTS. */
  readonly trustedRoots?: readonly string[];
}

export interface OutboundRequest {
  /** The `accept` header. */
  readonly accept: string;
  /** A longer body is refused, not cut. */
  readonly maxBytes: number;
  /**
   * Whether a bare loopback address may be used without TLS, even where private addresses are blocked. Never for an
   * address that a redirect names.
   */
  readonly allowPlainLoopback?: boolean;
  /** The answer is signed, and has to be verified by that: it may come without TLS. */
  readonly isSigned?: boolean | undefined;
  /** Answers with these statuses are returned like a 200 one: their body says what is wrong. */
  readonly failures?: readonly number[];
  /** The `authorization` header of a form. */
  readonly authorization?: string | undefined;
}

export interface OutboundClient {
  /**
   * The body of the 200 answer at the end of the redirects. Sends nothing but the request itself: no cookies, no
   * credentials.
   * @throws FetchRefused
   */
  get(url: string, wanted: OutboundRequest): Promise<Buffer>;
}

export interface FormPoster {
  /**
   * Posts a form, and returns the body of the 200 answer. Redirects are refused: the form is for the given address
   * only.
   * @throws FetchRefused
   */
  postForm(url: string, form: Readonly<Record<string, string>>, wanted: OutboundRequest): Promise<Buffer>;
}

export interface OutboundMessage {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsIdentity;
}

export interface AnswerPoster {
  /** Posts a message for the given address only, and returns the body of the 200 answer. @throws FetchRefused */
  postFor(url: string, message: OutboundMessage, wanted: OutboundRequest): Promise<Buffer>;
}

export interface MessagePoster {
  /**
   * Posts a message for the given address only, and returns the status of the answer, which may be a redirect. Nothing
   * else of it is read.
   * @throws FetchRefused
   */
  post(url: string, message: OutboundMessage): Promise<number>;
}

export interface TlsConnector {
  /**
   * Connects to host and port of an https URL, for another protocol than HTTP. Resolves when the server has proved who
   * it is; who gets the connection limits its time.
   * @throws FetchRefused
   */
  connect(url: string, tls: TlsIdentity): Promise<TLSSocket>;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Exchanger {
  /**
   * The answer with any status that is not a redirect, for protocols that need more than a body.
   * @param message what to post; null: GET
   * @throws FetchRefused
   */
  exchange(
    url: string,
    message: OutboundMessage | null,
    wanted: Pick<OutboundRequest, 'accept' | 'maxBytes'>,
  ): Promise<OutboundAnswer>;
}

/** Opens nothing before the first request. */
export function outboundClient(
  limits: OutboundLimits,
  needs: OutboundNeeds = {},
): OutboundClient & FormPoster & MessagePoster & AnswerPoster & TlsConnector & Exchanger {
  const resolve = needs.resolve ?? ((hostname) => systemLookup(hostname, { all: true }));
  const allowedTarget = targetRules(limits);
  const isSpared = sparedHosts(limits.noProxy);
  const contextFor = trustingContexts(needs.trustedRoots ?? []);
  async function ask<T extends Buffer | number | OutboundAnswer>(
    url: string,
    { allowPlainLoopback, isSigned, accept, authorization }: Omit<OutboundRequest, 'maxBytes'>,
    { maxRedirects, message, read }: Exchange<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limits.timeout);
    try {
      let isPlain = allowPlainLoopback === true && isPlainLoopback(url);
      let target = isPlain ? new URL(url) : readTarget(url, { isSigned });
      for (let redirects = 0; ; redirects += 1) {
        const refusal = allowedTarget(target, isPlain);
        const context = contextFor(message?.tls);
        const proxy = isPlain || isSpared(bareHost(target)) ? null : limits.proxy;
        const way = { target, context, resolve, refusal, proxy, deadline: deadline.signal, limits };
        const answer = await send({ ...way, message, accept, authorization }, read);
        if (typeof answer !== 'object' || !('location' in answer)) return answer;
        if (redirects === maxRedirects) throw new FetchRefused('too-many-redirects');
        target = readTarget(answer.location, { base: target, isSigned });
        isPlain = false;
      }
    } finally {
      clearTimeout(timer);
    }
  }
  const fetch = (
    url: string,
    wanted: OutboundRequest,
    exchange: Pick<Exchange<Buffer>, 'maxRedirects' | 'message'>,
  ) => ask(url, wanted, { ...exchange, read: (incoming) => readAnswer(incoming, wanted) });
  return {
    get: (url, wanted) => fetch(url, wanted, { maxRedirects: limits.maxRedirects, message: null }),
    postFor: (url, message, wanted) => fetch(url, wanted, { maxRedirects: 0, message }),
    postForm: (url, form, wanted) => fetch(url, wanted, { maxRedirects: 0, message: formMessage(form) }),
    post: (url, message) =>
      ask(
        url,
        { accept: '*/*' },
        { maxRedirects: 0, message, read: async ({ statusCode = 0 }) => statusCode },
      ),
    async connect(url, tls) {
      const deadline = AbortSignal.timeout(limits.timeout);
      const target = readTarget(url, {});
      const proxy = isSpared(bareHost(target)) ? null : limits.proxy;
      const way = {
        target,
        context: contextFor(tls),
        resolve,
        refusal: allowedTarget(target),
        proxy,
        limits,
      };
      return (await tunnelOf({ ...way, deadline })) ?? connectDirectly({ ...way, deadline });
    },
    exchange: (url, message, wanted) =>
      ask(url, wanted, {
        maxRedirects: 0,
        message,
        read: async (incoming) => {
          const { statusCode: status = 0, headers } = incoming;
          const body = await readAnswer(incoming, { ...wanted, failures: [status] });
          return Buffer.isBuffer(body) ? { status, headers, body } : body;
        },
      }),
  };
}

interface Redirection {
  readonly location: string;
}

interface Exchange<T> {
  readonly maxRedirects: number;
  /** What to post; null: GET. */
  readonly message: OutboundMessage | null;
  readonly read: (incoming: IncomingMessage) => Promise<T | Redirection>;
}

export function formMessage(form: Readonly<Record<string, string>>): OutboundMessage {
  const contentType = 'application/x-www-form-urlencoded';
  return { contentType, body: new URLSearchParams(form).toString() };
}

/**
 * Refuses what an address itself shows before anything is looked up: its form, its scheme, a host that the limits
 * exclude, an IP address that no connection may go to.
 * @throws FetchRefused
 */
export function checkAddress(
  url: string,
  limits: OutboundLimits,
  { isSigned }: Pick<OutboundRequest, 'isSigned'> = {},
): void {
  targetRules(limits)(readTarget(url, { isSigned }));
}

/** Why no connection may go to an address; null when one may. */
type AddressRefusal = (address: string) => 'address' | 'private-address' | null;

function addressRefusal(limits: OutboundLimits): AddressRefusal {
  // With a list of names, only hosts on it are called.
  const blockPrivateAddresses = limits.blockPrivateAddresses && limits.allowedHostnames.length === 0;
  const allows = addressRule({ ...limits, blockPrivateAddresses });
  const allowsPrivate = addressRule({ ...limits, blockPrivateAddresses: false });
  return (address) => {
    if (allows(address)) return null;
    return allowsPrivate(address) ? 'private-address' : 'address';
  };
}

function readTarget(
  text: string,
  { base, isSigned }: { readonly base?: URL } & Pick<OutboundRequest, 'isSigned'>,
): URL {
  const url = text.length > longestUrl ? null : URL.parse(text, base);
  if (url === null) throw new FetchRefused('url');
  if (url.protocol !== 'https:' && !(isSigned && url.protocol === 'http:')) throw new FetchRefused('scheme');
  if (url.username !== '' || url.password !== '') throw new FetchRefused('url');
  return url;
}

/**
 * Checks the name and, because it needs no look-up, a bare address.
 * @returns the rule for the addresses of that host, which throws FetchRefused
 */
function targetRules(limits: OutboundLimits): (target: URL, isPlain?: boolean) => AddressRefusal {
  const { allowedHostnames, deniedHostnames, additionalHostnames } = limits;
  const usual = addressRefusal(limits);
  // Whoever may be called there was allowed by listing the address.
  const plain = addressRefusal({ ...limits, blockPrivateAddresses: false });
  const additional = addressRefusal({ ...limits, blockPrivateAddresses: false, allowedIPs: [] });
  return (target, isPlain = false) => {
    const host = bareHost(target);
    const name = host.replace(/\.$/, '');
    const isAdditional = additionalHostnames.includes(name);
    const isListed = isAdditional || allowedHostnames.length === 0 || allowedHostnames.includes(name);
    if (!isListed || deniedHostnames.includes(name)) throw new FetchRefused('host');
    const refusal = isPlain ? plain : isAdditional ? additional : usual;
    const refused = isIP(host) === 0 ? null : refusal(host);
    if (refused !== null) throw new FetchRefused(refused);
    return refusal;
  };
}

function bareHost(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Which hosts are asked without the proxy. For the proxy, this machine is another one. */
function sparedHosts(noProxy: OutboundLimits['noProxy']): (host: string) => boolean {
  const spared = ['localhost', '.localhost', ...noProxy.filter((entry) => typeof entry === 'string')];
  const loopback = [
    { address: '127.0.0.0', prefixLength: 8, family: 'ipv4' },
    { address: '::1', prefixLength: 128, family: 'ipv6' },
  ] as const;
  const isSparedAddress = addressSet([...loopback, ...noProxy.filter((entry) => typeof entry !== 'string')]);
  return (host) => {
    const name = host.replace(/\.$/, '');
    return (
      isSparedAddress(host) ||
      spared.some((entry) => (entry.startsWith('.') ? name.endsWith(entry) : name === entry))
    );
  };
}

/**
 * Resolves a name to its allowed addresses. The socket connects to what this returns, so an answer that changes between
 * check and use makes no difference.
 */
function checkedLookup(
  resolve: NonNullable<OutboundNeeds['resolve']>,
  refusal: AddressRefusal,
): LookupFunction {
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

interface Way {
  readonly target: URL;
  readonly context: SecureContext;
  readonly resolve: NonNullable<OutboundNeeds['resolve']>;
  readonly refusal: AddressRefusal;
  readonly proxy: string | null;
  readonly deadline: AbortSignal;
  readonly limits: Pick<OutboundLimits, 'timeout'>;
}

interface Hop extends Way {
  /** What to post; null: GET. */
  readonly message: OutboundMessage | null;
  readonly accept: string;
  readonly authorization: string | undefined;
}

async function send<T>(hop: Hop, read: (incoming: IncomingMessage) => Promise<T>): Promise<T> {
  const { target, context, resolve: look, refusal, deadline: signal, message } = hop;
  const isPlain = target.protocol === 'http:';
  const forwarded = isPlain ? await forwardingOf(hop) : null;
  const tunnel = isPlain ? null : await tunnelOf(hop);
  // Importing this module loads another HTTP client of the runtime, which a start need not wait for.
  const ask = (forwarded?.isPlain ?? isPlain) ? (await import('node:http')).request : request;
  return new Promise((resolve, reject) => {
    // The abort does not end a look-up under way, so this needs its own listener.
    signal.addEventListener('abort', () => reject(new FetchRefused('timeout')), { once: true });
    const outgoing = ask(target, {
      method: message === null ? 'GET' : 'POST',
      // The agent is for TLS; false means a new one, which reads no proxy from the environment.
      ...(tunnel === null
        ? { agent: isPlain ? false : openAgent(context) }
        : { createConnection: () => tunnel }),
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

/** The connection through the proxy; null: there is none. */
async function tunnelOf(way: Way): Promise<TLSSocket | null> {
  if (way.proxy === null) return null;
  await checkBehindProxy(way);
  const { target, proxy, ...hop } = way;
  const { openTunnel } = await import('./proxy-tunnel.ts');
  try {
    return await openTunnel(new URL(proxy), { host: bareHost(target), port: target.port || '443', ...hop });
  } catch (error) {
    throw refusalOf(error, hop.deadline);
  }
}

/** How a request without TLS goes through the proxy; null: there is none. */
async function forwardingOf(way: Way) {
  if (way.proxy === null) return null;
  await checkBehindProxy(way);
  return (await import('./proxy-tunnel.ts')).forwarding(new URL(way.proxy), way.target);
}

async function connectDirectly({ target, refusal, ...way }: Way): Promise<TLSSocket> {
  const { openDirectly } = await import('./proxy-tunnel.ts');
  const host = bareHost(target);
  const wanted = { ...way, host, port: target.port || '443', lookup: checkedLookup(way.resolve, refusal) };
  try {
    return await openDirectly(wanted, (address) => {
      const refused = refusal(address);
      return refused && new FetchRefused(refused);
    });
  } catch (error) {
    throw refusalOf(error, way.deadline);
  }
}

const redirectStatuses: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

async function readAnswer(
  incoming: IncomingMessage,
  { maxBytes, failures = [] }: OutboundRequest,
): Promise<Buffer | Redirection> {
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
    if (length > maxBytes) throw new FetchRefused('too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusalOf(error: unknown, signal: AbortSignal): FetchRefused {
  if (error instanceof FetchRefused) return error;
  if (signal.aborted) return new FetchRefused('timeout');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new FetchRefused(isTlsFailure(code) ? 'tls' : 'connection', error);
}

function isTlsFailure(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_)/.test(code);
}

/** A separate agent without proxyEnv: the environment can make the global one use a proxy. */
function openAgent(secureContext: SecureContext): Agent {
  return new Agent({
    keepAlive: false,
    maxCachedSessions: 0,
    secureContext,
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
  });
}
