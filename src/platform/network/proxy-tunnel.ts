// A connection to another server through an HTTP proxy (CONNECT), with TLS to that server inside.

import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { FetchRefused } from './fetch-refused.ts';

interface Wanted {
  /** Without brackets. */
  readonly host: string;
  readonly port: string;
  /** For ALPN. */
  readonly protocols: string[];
  /** Whom to trust, at the server and at a proxy that is asked by https. */
  readonly context: SecureContext;
  readonly deadline: AbortSignal;
}

/**
 * Resolves when the server has proved who it is.
 * @param proxy http or https, with user and password where it asks for them
 * @throws FetchRefused   proxy, proxy-refused; any other error is one of the connection to the server
 * @see RFC 9110 section 9.3.6
 */
export async function openTunnel(proxy: URL, wanted: Wanted): Promise<TLSSocket> {
  return secured(await connectThrough(proxy, wanted), wanted);
}

/**
 * The same without a proxy.
 * @param check of the address that the system has connected to, before anything is sent; returns why not
 */
export async function openDirectly(
  wanted: Wanted & { readonly lookup: LookupFunction },
  check: (address: string) => FetchRefused | null,
): Promise<TLSSocket> {
  const { host, port, lookup } = wanted;
  const socket = await opened(connectTcp({ host, port: Number(port), lookup }), 'connect', wanted);
  const refused = check(socket.remoteAddress ?? '');
  if (refused === null) return secured(socket, wanted);
  socket.destroy();
  throw refused;
}

/** @param below the connection that carries it */
async function secured(below: Socket, wanted: Wanted): Promise<TLSSocket> {
  const { host, context: secureContext } = wanted;
  const socket = connect({
    socket: below,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    secureContext,
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    ALPNProtocols: wanted.protocols,
  });
  leaveFlood(socket, below);
  return opened(socket, 'secureConnect', wanted);
}

/** Bytes of TLS beside as many as the data of a connection: the handshake, whose certificates OpenSSL limits to 100 kB. */
const mostOverhead = 256 * 1024;

/** Session tickets, key updates and renegotiations are no data, so a server could send them without end. */
function leaveFlood(socket: TLSSocket, below: Socket): void {
  const watch = setInterval(() => {
    if (below.bytesRead > mostOverhead + 2 * socket.bytesRead) socket.destroy(new FetchRefused('too-large'));
  }, 50).unref();
  socket.once('close', () => clearInterval(watch));
}

function opened<Opened extends Socket>(
  socket: Opened,
  event: 'connect' | 'secureConnect',
  { deadline }: Pick<Wanted, 'deadline'>,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new FetchRefused('timeout'));
    deadline.addEventListener('abort', giveUp, { once: true });
    socket.once(event, () => {
      // From now on its user limits the time.
      deadline.removeEventListener('abort', giveUp);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new FetchRefused('connection')));
  });
}

/**
 * How a request without TLS goes through a proxy: where to, and its headers.
 * @see RFC 9112 section 3.2.2
 */
export function forwarding(proxy: URL, target: URL) {
  return {
    isPlain: proxy.protocol === 'http:',
    place: { ...placeOf(proxy), path: target.href, agent: false as const },
    headers: { host: target.host, ...authorizationOf(proxy) },
  };
}

function placeOf({ protocol, hostname, port }: URL) {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || (protocol === 'http:' ? 80 : 443) };
}

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function connectThrough(proxy: URL, { host, port, context, deadline }: Wanted): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const isPlain = proxy.protocol === 'http:';
  return new Promise((resolve, reject) => {
    const outgoing = (isPlain ? plainRequest : request)({
      method: 'CONNECT',
      ...placeOf(proxy),
      path: authority,
      // A new agent, which reads no proxy from the environment.
      agent: false,
      signal: deadline,
      maxHeaderSize: 16_384,
      headers: { host: authority, 'user-agent': 'overlay-auth', ...authorizationOf(proxy) },
      ...(!isPlain && { secureContext: context, rejectUnauthorized: true }),
    });
    outgoing.on('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode === 200 && head.length === 0) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new FetchRefused('proxy-refused'));
    });
    outgoing.on('response', () => reject(new FetchRefused('proxy-refused')));
    outgoing.on('error', (error) => reject(new FetchRefused(deadline.aborted ? 'timeout' : 'proxy', error)));
    outgoing.end();
  });
}
