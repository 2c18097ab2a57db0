// A pooler in transaction mode that hides a failover: its clients' connections stay, and what they ask from then on is
// answered by the new server. A real pooler does this when it is paused, pointed elsewhere and resumed.

import { createServer, type Socket } from 'node:net';
import pg from 'pg';

export interface TransactionPooler {
  readonly port: number;
  /** Every transaction that begins from now on runs on this server. */
  pointTo(url: string): void;
  close(): Promise<void>;
}

/** Authentication is over, no key to cancel by, ready: what a server says to a client that it lets in. */
const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x01Z\0\0\0\x05I', 'latin1');

/** Splits a stream of the protocol into messages, `type` being their first byte. */
function messages(take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      take(String.fromCharCode(message[0] as number), message);
    }
  };
}

export async function transactionPooler(firstUrl: string): Promise<TransactionPooler> {
  let url = firstUrl;
  const clients = new Set<Socket>();
  const servers = new Set<pg.Client>();

  async function connect(near: Socket): Promise<Socket> {
    const server = new pg.Client({ connectionString: url });
    server.on('error', () => near.destroy());
    servers.add(server);
    await server.connect();
    const { stream } = (server as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    stream.setNoDelay(true);
    return stream;
  }

  function serve(near: Socket): void {
    near.setNoDelay(true);
    let far: { readonly url: string; readonly stream: Promise<Socket> } | null = null;
    /** Answers that are outstanding, and whether the last one left no transaction open. */
    let outstanding = 0;
    let isIdle = true;
    const fromServer = messages((type, message) => {
      if (type === 'Z') {
        outstanding -= 1;
        isIdle = message[5] === 'I'.charCodeAt(0);
      }
      near.write(message);
    });
    const fromClient = messages((type, message) => {
      if (type === 'X') {
        near.end();
        return;
      }
      if (far === null || (far.url !== url && outstanding === 0 && isIdle)) {
        const stream = connect(near);
        stream.then(
          (socket) => socket.on('data', fromServer),
          () => near.destroy(),
        );
        far = { url, stream };
      }
      if (type === 'Q' || type === 'S') outstanding += 1;
      // In order: each waits for the same promise.
      far.stream.then((socket) => socket.write(message)).catch(() => {});
    });
    near.once('data', (startup: Buffer) => {
      near.write(greeting);
      const length = startup.readUInt32BE(0);
      near.on('data', fromClient);
      if (startup.length > length) fromClient(startup.subarray(length));
    });
    near.on('error', () => near.destroy());
    clients.add(near);
    near.on('close', () => {
      clients.delete(near);
      far?.stream.then((socket) => socket.destroy()).catch(() => {});
    });
  }

  const listener = createServer(serve);
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port');
  return {
    port: address.port,
    pointTo(newUrl) {
      url = newUrl;
    },
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((closed) => listener.close(closed));
      await Promise.allSettled([...servers].map((server) => server.end()));
    },
  };
}
