// A CONNECT proxy on loopback, for tests: for every request it connects to one port of this machine.

import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  readonly port: number;
  /** What it was asked for, as `host:port`. */
  readonly asked: string[];
  /** The `proxy-authorization` that it demands; null: none. */
  demand(authorization: string | null): void;
  /** The status line and headers of its answers; null: it connects. */
  answer(text: string | null): void;
  close(): Promise<void>;
}

/** @param identity null: it is asked by http */
export async function startConnectProxy(
  to: number,
  identity: { readonly cert: string; readonly key: string } | null = null,
): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let demanded: string | null = null;
  let answered: string | null = null;
  const server = identity === null ? createPlainServer() : createServer(identity);
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    open.add(client.on('error', () => undefined));
    asked.push(request.url ?? '');
    const isAllowed = demanded === null || request.headers['proxy-authorization'] === demanded;
    if (!isAllowed || answered !== null) {
      client.end(answered ?? 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const upstream = connect(to, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    open.add(upstream.on('error', () => client.destroy()));
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    asked,
    demand(authorization) {
      demanded = authorization;
    },
    answer(text) {
      answered = text;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
