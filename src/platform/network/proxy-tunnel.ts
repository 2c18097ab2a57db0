// A connection to another server through an HTTP proxy (CONNECT), with TLS to that server inside.

import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { FetchRefused } from './fetch-refused.ts';

interface Wanted {
  /** Without brackets. */
  readonly host: string;
  readonly port: string;
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
  const socket = await connectThrough(proxy, wanted);
  return secured(connect({ ...tlsOptions(wanted), socket, ALPNProtocols: ['http/1.1'] }), wanted);
}

/**
 * The same without a proxy.
 * @param check of the address that the system has connected to, before anything is sent; returns why not
 */
export function openDirectly(
  wanted: Wanted & { readonly lookup: LookupFunction },
  check: (address: string) => FetchRefused | null,
): Promise<TLSSocket> {
  const socket = connect({ ...tlsOptions(wanted), port: Number(wanted.port), lookup: wanted.lookup });
  socket.once('connect', () => {
    const refused = check(socket.remoteAddress ?? '');
    if (refused !== null) socket.destroy(refused);
  });
  return secured(socket, wanted);
}

function tlsOptions({ host, context: secureContext }: Wanted) {
  return {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    secureContext,
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
  };
}

function secured(socket: TLSSocket, { deadline }: Wanted): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new FetchRefused('timeout'));
    deadline.addEventListener('abort', giveUp, { once: true });
    socket.once('secureConnect', () => {
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
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port || (protocol === 'http:' ? 80 : 443),
  };
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
      headers: {
        host: authority,
        'user-agent': 'overlay-auth',
        ...authorizationOf(proxy),
      },
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
