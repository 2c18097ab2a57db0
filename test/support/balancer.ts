// A load balancer that passes TCP through, as operators place before several nodes: each connection goes to the next
// node that accepts it. It does not look at what the nodes say.

import { connect as connectTcp, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * @param targets ports of loopback; read for each connection
 * @param header  sent first on each connection to a node, such as a PROXY header; nothing unless given
 */
export async function balancer(targets: () => readonly number[], header?: Buffer): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;

  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  };
  const join = (near: Socket, ports: readonly number[]) => {
    const [port, ...rest] = ports;
    if (port === undefined || near.destroyed) {
      near.destroy();
      return;
    }
    const far = connectTcp({ port, host: '127.0.0.1' });
    keep(far);
    let isJoined = false;
    far.on('error', () => {
      if (isJoined) near.destroy();
      else join(near, rest);
    });
    far.on('connect', () => {
      isJoined = true;
      far.on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      if (header !== undefined) far.write(header);
      near.pipe(far);
      far.pipe(near);
    });
  };
  const server = createServer((near) => {
    keep(near);
    near.setNoDelay(true);
    near.on('error', () => near.destroy());
    const ports = targets();
    turn += 1;
    const first = turn % Math.max(1, ports.length);
    join(near, [...ports.slice(first), ...ports.slice(0, first)]);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');
  return {
    port: address.port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
