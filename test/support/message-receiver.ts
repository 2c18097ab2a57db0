// Another party's server, which takes messages, such as logout tokens.

import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Closable, closable, stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';

export interface ReceivedMessage {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface MessageReceiver extends Closable {
  /** `https://localhost:PORT` */
  readonly url: string;
  readonly received: readonly ReceivedMessage[];
  /** How the next messages are answered: by a status, or by what the function does. 200 until then. */
  answer(how: number | ((response: ServerResponse) => void)): void;
  /** The message with that number, from 0, as soon as it is there. */
  at(index: number): Promise<ReceivedMessage>;
}

export async function startMessageReceiver(): Promise<MessageReceiver> {
  const { server: identity } = await testPki();
  const received: ReceivedMessage[] = [];
  let answer: Parameters<MessageReceiver['answer']>[0] = 200;
  const server = createServer({ cert: identity.certPem, key: identity.keyPem }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    if (typeof answer === 'number') response.writeHead(answer).end();
    else answer(response);
    server.emit('message');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return closable<MessageReceiver>({
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    received,
    answer(how) {
      answer = how;
    },
    async at(index) {
      while (received[index] === undefined) await once(server, 'message');
      return received[index];
    },
    close: () => stopServing(server),
  });
}
