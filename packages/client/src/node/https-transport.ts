// Requests from Node with options that `fetch` does not have: whom to trust, and a client certificate.

import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Transport } from '../transport.ts';

export interface HttpsTransportOptions {
  /** PEM certificates of the authorities to trust, and no others. Default: those that Node trusts. */
  readonly ca?: string | readonly string[];
  /** A client certificate with its chain, and its key; both PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** The name of the program that the server sees. */
  readonly userAgent?: string;
  /** Gives up when nothing arrives for this many milliseconds. Default: half a minute. */
  readonly silenceLimit?: number;
  /** Called with the connection of each answer, for example to read the server's certificate. */
  readonly onConnection?: (socket: Socket) => void;
  /** Further options for the connections, such as `lookup`. */
  readonly agent?: AgentOptions;
}

/** A transport with its own connections. */
export interface HttpsTransport {
  readonly send: Transport;
  /** Closes idle connections. */
  close(): void;
}

/** Connections to servers that `ca` vouches for, with the client certificate if there is one. */
export function httpsTransport(options: HttpsTransportOptions = {}): HttpsTransport {
  const { ca, clientCertificate = {}, userAgent = 'overlay-auth-client', silenceLimit = 30_000 } = options;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 4,
    minVersion: 'TLSv1.2',
    // Stated, because NODE_TLS_REJECT_UNAUTHORIZED changes the default: set for another program, it would send passwords
    // to anybody.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...clientCertificate,
    // A listed certificate may be an intermediate or the server's own. It ends the chain then.
    allowPartialTrustChain: true,
    ...options.agent,
  });
  return {
    close: () => agent.destroy(),
    async send(request) {
      const body = Buffer.from(await request.arrayBuffer());
      const headers: Record<string, string | string[]> = {
        accept: 'application/json',
        'user-agent': userAgent,
        ...Object.fromEntries(request.headers),
        ...(request.method === 'GET' ? {} : { 'content-length': String(body.length) }),
      };
      // `Headers` joins appended values, but the service reads one token per header line.
      const tokens = request.headers.get('authorization')?.split(/,\s*(?=Bearer )/);
      if (tokens !== undefined) headers.authorization = tokens;
      const { method, url, signal } = request;
      return new Promise((answered, failed) => {
        const outgoing = httpsRequest(url, { method, headers, agent, signal, timeout: silenceLimit });
        outgoing.once('response', (incoming) => {
          options.onConnection?.(incoming.socket);
          try {
            answered(responseOf(incoming));
          } catch (error) {
            // `Response` knows no status above 599. Thrown here, the error would end the program.
            outgoing.destroy(error instanceof Error ? error : undefined);
          }
        });
        outgoing.once('timeout', () =>
          outgoing.destroy(Object.assign(new Error('there was no answer in time'), { code: 'ETIMEDOUT' })),
        );
        outgoing.once('error', failed);
        outgoing.end(body);
      });
    },
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const status = incoming.statusCode ?? 0;
  const hasBody = ![204, 205, 304].includes(status);
  if (!hasBody) incoming.resume();
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null, { status, headers });
}
