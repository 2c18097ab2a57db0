// The collector that the configuration names: its credentials, and one POST. It is the operator's own address, so the
// rules for strangers' addresses do not apply, but no request waits for it and its answers are not kept.

import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import type { TelemetryConfig } from '../config/config.ts';
import { readNamed, readRoots, refusedFile } from '../config/named-roots.ts';
import { type Millis, SECOND } from '../platform/clock.ts';
import { trustingContext } from '../platform/network/outbound-trust.ts';

/** The contents of the configured files. */
export interface CollectorAccess {
  /** Secret: only the collector may see them. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM. */
  readonly roots: readonly string[];
}

/** Why something was not accepted. Contains nothing of the collector's answer. */
export class CollectorFailed extends Error {
  override readonly name = 'CollectorFailed';
}

export type Collector = ReturnType<typeof collectorAt>;

const longestPost: Millis = 10 * SECOND;
const longestAnswer = 64 * 1024;
const mostHeaders = 20;

/** @throws ConfigError a file cannot be read, or its contents are wrong */
export function readCollectorAccess({ headersFile, ca }: TelemetryConfig): CollectorAccess {
  const lines = headersFile === null ? '' : readNamed('telemetry.headersFile', headersFile);
  return {
    headers: headersFile === null ? {} : readHeaders(headersFile, lines),
    roots: ca === null ? [] : [readRoots('telemetry.ca', ca)],
  };
}

/** Names the wrong line, but not its contents, which are secret. */
function readHeaders(file: string, text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), number: at + 1 }));
  const given = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  if (given.length > mostHeaders)
    throw refusedFile('telemetry.headersFile', `${file} has more than ${mostHeaders} headers`);
  return Object.fromEntries(
    given.map(({ line, number }) => {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]+)$/.exec(line) ?? [];
      if (name === '') throw refusedFile('telemetry.headersFile', `${file}:${number} is not NAME: VALUE`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** Opens nothing before the first POST. */
export function collectorAt(endpoint: string, { headers, roots }: CollectorAccess) {
  const isPlain = endpoint.startsWith('http:');
  const options = { keepAlive: true, maxSockets: 2, maxFreeSockets: 1 };
  const agent = isPlain
    ? new PlainAgent(options)
    : // Stated, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
      new Agent({ ...options, secureContext: trustingContext(roots), rejectUnauthorized: true });
  const closed = new AbortController();
  return {
    /** Resolves when it was accepted. @param body of an OTLP request, protobuf. @throws CollectorFailed */
    post: (signal: 'traces' | 'metrics', body: Uint8Array): Promise<void> =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new CollectorFailed(`${endpoint}/v1/${signal}: ${why}`));
        const outgoing = (isPlain ? plainRequest : request)(`${endpoint}/v1/${signal}`, {
          method: 'POST',
          agent,
          signal: AbortSignal.any([closed.signal, AbortSignal.timeout(longestPost)]),
          maxHeaderSize: 16_384,
          headers: {
            ...headers,
            'content-type': 'application/x-protobuf',
            'content-length': body.length,
            'user-agent': 'overlay-auth',
          },
        });
        outgoing.on('error', (error) => fail(reasonOf(error)));
        // Comes alone after an answer that switches protocols.
        outgoing.on('close', () => fail('it was closed without an answer'));
        outgoing.on('response', (incoming) => {
          let length = 0;
          incoming.on('data', (chunk: Buffer) => {
            length += chunk.length;
            if (length > longestAnswer) outgoing.destroy(new Error('its answer is too long'));
          });
          incoming.on('error', (error) => fail(reasonOf(error)));
          incoming.on('end', () => {
            const { statusCode = 0 } = incoming;
            if (statusCode >= 200 && statusCode < 300) resolve();
            else fail(`it answered with status ${statusCode}`);
          });
        });
        outgoing.end(body);
      }),
    /** Aborts every request under way. */
    close() {
      closed.abort();
      agent.destroy();
    },
  };
}

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ABORT_ERR') {
    const isLate = error.cause instanceof Error && error.cause.name === 'TimeoutError';
    return isLate ? `no answer within ${longestPost / SECOND} seconds` : 'broken off at the end';
  }
  return code === '' ? error.message.slice(0, 200) : code;
}
