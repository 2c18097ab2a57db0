import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { CliError } from '../cli-error.ts';
import { parseJson } from './json-shape.ts';
import { transportFailure } from './transport-failure.ts';

export interface HttpsRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  /** A list is sent as so many lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Whether the answer tells when the certificate of the server ends. */
  readonly wantsCertificateEnd?: boolean;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  readonly certificateEnd?: Millis;
}

/** Sends requests over kept connections. Redirects are never followed: here they are answers. */
export interface HttpsClient {
  send(request: HttpsRequest): Promise<HttpsAnswer>;
  /** Closes the idle connections. */
  close(): void;
}

export interface TlsOptions {
  /** PEM certificates that are trusted; left out: Node's own roots and NODE_EXTRA_CA_CERTS. */
  readonly ca?: readonly string[];
  /** PEM of a client certificate with its chain, and of its key. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

const silenceLimit = 30 * SECOND;
const largestAnswer = 16 * 1024 * 1024;

/** An HTTPS client with the given trust and client certificate. */
export function createHttpsClient(tls: TlsOptions): HttpsClient {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 4,
    minVersion: 'TLSv1.2',
    ...(tls.ca === undefined ? {} : { ca: [...tls.ca] }),
    ...(tls.clientCertificate ?? {}),
    // A pinned certificate may be an intermediate or the server's own: it is then the end of the chain.
    allowPartialTrustChain: true,
  });
  return {
    close: () => agent.destroy(),
    async send(request) {
      if (request.url.protocol !== 'https:')
        throw new CliError(`${request.url.origin} is not an https address.`);
      try {
        return await exchange(agent, request);
      } catch (error) {
        throw error instanceof CliError ? error : transportFailure(request.url.origin, error);
      }
    },
  };
}

function exchange(agent: Agent, request: HttpsRequest): Promise<HttpsAnswer> {
  const { body, contentType } = encodeBody(request);
  const options: RequestOptions = {
    method: request.method,
    agent,
    timeout: silenceLimit,
    headers: {
      accept: 'application/json',
      'user-agent': 'overlay-auth-cli',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...mutable(request.headers ?? {}),
    },
  };
  return new Promise((fulfil, fail) => {
    const outgoing = httpsRequest(request.url, options, (incoming) => {
      // Read now: of a connection that is closed it cannot be known any more.
      const certificateEnd = request.wantsCertificateEnd === true ? endOfCertificate(incoming.socket) : {};
      readAnswer(incoming).then((answer) => fulfil({ ...answer, ...certificateEnd }), fail);
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

function endOfCertificate(socket: unknown): { readonly certificateEnd?: Millis } {
  if (!(socket instanceof TLSSocket)) return {};
  const end = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return Number.isNaN(end) ? {} : { certificateEnd: end };
}

function mutable(headers: NonNullable<HttpsRequest['headers']>): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

async function readAnswer(incoming: IncomingMessage): Promise<HttpsAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > largestAnswer) throw new CliError('The answer of the server is larger than 16 MiB.');
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parseJson(text) };
}

function encodeBody(request: HttpsRequest): { body?: string; contentType?: string } {
  if (request.json !== undefined)
    return { body: JSON.stringify(request.json), contentType: 'application/json' };
  if (request.form === undefined) return {};
  return {
    body: new URLSearchParams({ ...request.form }).toString(),
    contentType: 'application/x-www-form-urlencoded',
  };
}
