// HTTPS requests of the command line, using the transport of the client library.

import { TLSSocket } from 'node:tls';
import { ProtocolError, Unreachable } from '../../../../packages/client/src/errors.ts';
import {
  type HttpsTransportOptions,
  httpsTransport,
} from '../../../../packages/client/src/node/https-transport.ts';
import { proving } from '../../../../packages/client/src/oidc/proof-key.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { guarded, type Transport } from '../../../../packages/client/src/transport.ts';
import { type Clock, type Millis, systemClock } from '../../../platform/clock.ts';
import { parseJson } from '../../../platform/formats/json-shape.ts';
import { CliError } from '../../terminal/output.ts';
import { type HttpsAnswer, transportFailure } from './answer-failure.ts';

export interface HttpsRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  /** The login of the request. */
  readonly login?: Pick<Tokens, 'accessToken' | 'key'>;
  /** The external JWT that the policy also requires. */
  readonly secondToken?: string | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly csv?: string | undefined;
  /** Called with how many bytes of the answer have arrived. */
  readonly onReceived?: (bytes: number) => void;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
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

/** Almost as long as a string can be, in bytes. */
const longestText = 500 * 1024 * 1024;

/** Trusted PEM certificates, and a client certificate. */
export type TlsOptions = Pick<HttpsTransportOptions, 'ca' | 'clientCertificate'>;

/**
 * An HTTPS client with the given trust and client certificate.
 * @param clock of proofs, for tokens that are bound to a key
 */
export function createHttpsClient(tls: TlsOptions, clock: Clock = systemClock): HttpsClient {
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
    async send({ method, url, login, secondToken, json, form, csv, onReceived }) {
      const headers = new Headers(json === undefined ? {} : { 'content-type': 'application/json' });
      const key = login?.key;
      if (login !== undefined)
        headers.append('authorization', `${key === undefined ? 'Bearer' : 'DPoP'} ${login.accessToken}`);
      if (secondToken !== undefined) headers.append('authorization', `Bearer ${secondToken}`);
      // Whom we give our token may answer with a list of everything.
      const sending =
        login === undefined ? transport : guarded(onReceived ? counted(send, onReceived) : send, longestText);
      const sendNow =
        key === undefined ? sending : proving(key, () => clock.now())(sending, login?.accessToken);
      if (csv !== undefined) headers.set('content-type', 'text/csv');
      const body = csv ?? (form === undefined ? JSON.stringify(json) : new URLSearchParams(form));
      try {
        const response = await sendNow(
          new Request(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) }),
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

/** The transport, but it says how many bytes of a body have arrived. */
function counted(send: Transport, onReceived: (bytes: number) => void): Transport {
  return async (request) => {
    const response = await send(request);
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onReceived(bytes);
        controller.enqueue(chunk);
      },
    });
    return response.body === null ? response : new Response(response.body.pipeThrough(counter), response);
  };
}
