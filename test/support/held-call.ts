// A call that its client keeps open: the headers and the first half of the body are sent, the rest waits.

import { request } from 'node:https';
import type { Answer } from './https-client.ts';
import type { TestServer } from './test-server.ts';

export interface HeldCall {
  /** Sends the rest of the body. */
  finish(): Promise<HeldAnswer>;
}

export type HeldAnswer = Pick<Answer, 'status' | 'headers' | 'text' | 'json'>;

/** Resolves when the server has read the headers: it answers `Expect: 100-continue` before it reads on. */
export function holdCall(
  server: TestServer,
  call: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly json: unknown;
  },
): Promise<HeldCall> {
  const body = Buffer.from(JSON.stringify(call.json));
  const half = body.length >> 1;
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(server.url), {
      method: call.method,
      path: call.path,
      agent: false,
      ca: server.caPem,
      lookup: (_hostname, options, callback) =>
        options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
      headers: {
        ...call.headers,
        'content-type': 'application/json',
        'content-length': String(body.length),
        expect: '100-continue',
      },
    });
    const answer = new Promise<HeldAnswer>((answered, failed) => {
      outgoing.on('error', failed);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', failed);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          answered({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
      });
    });
    answer.catch(reject);
    outgoing.on('continue', () => {
      outgoing.write(body.subarray(0, half), () =>
        resolve({
          finish() {
            outgoing.end(body.subarray(half));
            return answer;
          },
        }),
      );
    });
    outgoing.flushHeaders();
  });
}
