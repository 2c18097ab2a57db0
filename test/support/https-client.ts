// Plain HTTPS requests, so that tests see status, headers and body as they are: no redirects, no cookies.

import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest, type RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All lines of a header, in order. */
  lines(name: string): readonly string[];
  readonly text: string;
  /** The body as JSON. @throws if it is not JSON */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
  readonly json: any;
}

export interface RequestInit {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as application/json. */
  readonly json?: unknown;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Gives up after this many Millis. */
  readonly timeout?: number;
  /** A client certificate for this request, on a connection of its own. */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string };
}

export interface HttpsClient {
  request(method: string, path: string, init?: RequestInit): Promise<Answer>;
  get(path: string, init?: RequestInit): Promise<Answer>;
  post(path: string, init?: RequestInit): Promise<Answer>;
  closeConnections(): void;
}

/** Closed by `using` at the end of the block in which it was made. */
export interface HttpsConnection extends HttpsClient, Disposable {}

// An agent follows `Keep-Alive: timeout` only if that is shorter than a limit of its own. Without that limit it sends
// requests on connections that the server is just closing.
const idleLimit = 60_000;

/**
 * A client of one server whose certificate `caPem` has issued.
 * @param tls a client certificate with its chain for every connection, or how connections are made
 */
export function httpsClient(url: string, caPem: string, tls: AgentOptions = {}): HttpsConnection {
  // Made once: otherwise, each connection would read the certificates again.
  const secureContext = createSecureContext({ ca: caPem, ...tls });
  const agent = new Agent({ keepAlive: true, timeout: idleLimit, secureContext, maxSockets: 64, ...tls });
  const request: HttpsClient['request'] = (method, path, init = {}) =>
    send(url, agent, caPem, method, path, init);
  const closeConnections = () => agent.destroy();
  return {
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
    closeConnections,
    [Symbol.dispose]: closeConnections,
  };
}

function send(
  url: string,
  agent: Agent,
  caPem: string,
  method: string,
  path: string,
  init: RequestInit,
): Promise<Answer> {
  const { body, contentType } = encode(init);
  const headers: Record<string, string | readonly string[]> = { ...init.headers };
  if (contentType !== undefined && headers['content-type'] === undefined)
    headers['content-type'] = contentType;
  if (body !== undefined && headers['transfer-encoding'] === undefined)
    headers['content-length'] = String(Buffer.byteLength(body));
  // A test may send any Host; the certificate is still checked for the address.
  const servername = new URL(url).hostname;
  const options: RequestOptions = {
    method,
    headers: headers as Record<string, string>,
    agent,
    servername,
    lookup: toLoopback,
  };
  if (init.timeout !== undefined) options.signal = AbortSignal.timeout(init.timeout);
  if (init.clientCertificate !== undefined) {
    options.agent = new Agent({
      ca: caPem,
      cert: init.clientCertificate.certPem,
      key: init.clientCertificate.keyPem,
    });
  }
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(new URL(path.startsWith('/') ? url : path), options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(answerOf(incoming, Buffer.concat(chunks).toString())));
    });
    // The path exactly as the test wrote it: URL would normalize it.
    outgoing.path = path;
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Every name of a test server means this machine. */
const toLoopback: NonNullable<RequestOptions['lookup']> = (_hostname, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

function encode(init: RequestInit): { body: string | Buffer | undefined; contentType: string | undefined } {
  if (init.json !== undefined) return { body: JSON.stringify(init.json), contentType: 'application/json' };
  if (init.form !== undefined) {
    const pairs = Array.isArray(init.form) ? init.form : Object.entries(init.form);
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
    return { body: text, contentType: 'application/x-www-form-urlencoded' };
  }
  return { body: init.body, contentType: undefined };
}

function answerOf(
  incoming: { statusCode?: number | undefined; headers: IncomingHttpHeaders; rawHeaders: string[] },
  text: string,
): Answer {
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    lines(name) {
      return incoming.rawHeaders.filter(
        (_value, at, raw) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name,
      );
    },
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
