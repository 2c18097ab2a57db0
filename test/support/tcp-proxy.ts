// A wire between two programs that a test can cut: a TCP proxy on loopback. It does to real connections what a cut
// cable, a dropped route or a firewall does to one node while the others continue.

import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** A port of loopback, or the file of a socket. */
export type ProxyTarget = number | string;

export interface TcpProxy {
  readonly port: number;
  /** Resets connections and refuses new ones at once, as when the other machine is gone. */
  cut(): void;
  /** Stops bytes in both directions without telling anybody, as when packets are dropped. New connections hang too. */
  freeze(): void;
  /** Repairs the wire. Hanging connections are reset, as they would be after a long silence. */
  heal(): void;
  /** Forwards new connections to somewhere else, and ends those to the old target. */
  pointTo(target: ProxyTarget): void;
  /** Says this to every client, as if its server had. */
  insert(bytes: Buffer): void;
  /** The ends of the connections of clients that are open now. */
  clients(): readonly Socket[];
  /** Connections that are open now. */
  connections(): number;
  close(): Promise<void>;
}

type State = 'whole' | 'cut' | 'frozen';

/** A proxy from a port that the system chooses. */
export async function tcpProxy(firstTarget: ProxyTarget): Promise<TcpProxy> {
  let target = firstTarget;
  let state: State = 'whole';
  const pairs = new Set<readonly [Socket, Socket]>();
  const waiting = new Set<Socket>();

  const reset = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      // A socket file knows no reset.
      far.destroy();
    }
    for (const socket of waiting) socket.resetAndDestroy();
    waiting.clear();
  };
  const join = (near: Socket) => {
    const far = connectTcp(
      typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' },
    );
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      one.pipe(other);
    }
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    near.setNoDelay(true);
    if (state === 'whole') {
      join(near);
      near.resume();
      return;
    }
    near.on('error', () => undefined);
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    waiting.add(near);
    near.on('close', () => waiting.delete(near));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    cut() {
      state = 'cut';
      reset();
    },
    freeze() {
      state = 'frozen';
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    heal() {
      if (state === 'frozen') reset();
      state = 'whole';
    },
    pointTo(newTarget) {
      target = newTarget;
      reset();
    },
    insert(bytes) {
      for (const [near] of pairs) near.write(bytes);
    },
    clients: () => [...pairs].map(([near]) => near),
    connections: () => pairs.size,
    async close() {
      reset();
      await new Promise((closed) => server.close(closed));
    },
  };
}
