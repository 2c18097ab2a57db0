// HTTPS requests of the command line, using the transport of the client library.

import { TLSSocket } from 'node:tls';
import { ProtocolError, Unreachable } from '../../../../packages/client/src/errors.ts';
import {
  type HttpsTransportOptions,
  httpsTransport,
} from '../../../../packages/client/src/node/https-transport.ts';
import { guarded, type Transport } from '../../../../packages/client/src/transport.ts';
import type { Millis } from '../../../platform/clock.ts';
import { parseJson } from '../../../platform/formats/json-shape.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { transportFailure } from './transport-failure.ts';

export interface HttpsRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  /** A list is sent as that many header lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface HttpsAnswer {
  readonly status: number;
  /** By lower-case name. Repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: unknown;
}

/** Sends requests over kept connections. Redirects are answers and never followed. */
export interface HttpsClient {
  /** @throws CliError when there is no answer, or it is too large */
  send(request: HttpsRequest): Promise<HttpsAnswer>;
  /** The same connections, for the client library. */
  readonly transport: Transport;
  /** When the certificate expires that the server presented last. */
  certificateEnd(): Millis | undefined;
  /** Closes the idle connections. */
  [Symbol.dispose](): void;
}

/** Trusted PEM certificates, and a client certificate. */
export type TlsOptions = Pick<HttpsTransportOptions, 'ca' | 'clientCertificate'>;

/** An HTTPS client with the given trust and client certificate. */
export function createHttpsClient(tls: TlsOptions): HttpsClient {
  let certificateEnd: Millis | undefined;
  const { send, close } = httpsTransport({
    ...tls,
    userAgent: 'overlay-auth-cli',
    onConnection(socket) {
      // Read now, because a closed connection no longer knows it.
      if (socket instanceof TLSSocket)
        certificateEnd = Date.parse(socket.getPeerCertificate().valid_to ?? '');
    },
  });
  const transport = guarded(send);
  return {
    transport,
    [Symbol.dispose]: close,
    certificateEnd: () => (Number.isNaN(certificateEnd) ? undefined : certificateEnd),
    async send({ method, url, headers = {}, json, form }) {
      const lines = new Headers(json === undefined ? {} : { 'content-type': 'application/json' });
      for (const [name, values] of Object.entries(headers)) {
        for (const value of [values].flat()) lines.append(name, value);
      }
      const body = form === undefined ? JSON.stringify(json) : new URLSearchParams(form);
      try {
        const response = await transport(
          new Request(url, {
            method,
            headers: lines,
            redirect: 'manual',
            ...(body === undefined ? {} : { body }),
          }),
        );
        const text = await response.text();
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          text,
          body: parseJson(text),
        };
      } catch (error) {
        if (error instanceof Unreachable) throw transportFailure(error.origin, error.cause);
        if (error instanceof ProtocolError) throw new CliError(`${error.message}.`, { code: error.code });
        throw error;
      }
    },
  };
}
