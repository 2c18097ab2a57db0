// Behind a load balancer that passes TCP through, every connection comes from the balancer. By the PROXY protocol it
// says whose it is. Here that is read, before TLS and before anything counts connections; from then on the socket
// has the address of the client, so that nobody else needs to know of balancers.

import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Listener } from '../../config/config.ts';
import { type Clock, MINUTE, type Millis } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { addressSet } from '../../platform/network/address-rules.ts';
import { type ProxiedClient, readProxyHeader } from '../../platform/network/proxy-header.ts';
import { recentMap } from '../../platform/recent-map.ts';

export interface ProxiedConnections {
  /** Ends the connections that have not said yet whose they are. */
  endPending(): void;
}

/**
 * Lets the balancers of a listener speak for their clients. A connection from one of their addresses has to begin
 * with a PROXY header and is closed otherwise; what comes from elsewhere is never searched for one. So it is where a
 * connection comes from that decides, and never what it begins with.
 *
 * To be called when everything else that listens for connections of the server does so: those listeners are called
 * with a connection when its header has been read.
 */
export function readProxyHeaders(
  needs: { readonly clock: Clock; readonly log: Logger },
  server: Server,
  listener: Listener,
): ProxiedConnections {
  const isBalancer = addressSet(listener.proxyProtocol.balancers);
  const complain = complaints(needs, listener.name);
  const reading = headerReading({ timeout: listener.timeouts.read, complain });
  const clients = new Map<string, ProxiedClient>();

  // On the server itself and not on one before it: limits, addresses, draining and Node's own supervision of requests,
  // which begins with `listen`, stay as they are.
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Already gone: nobody could say whose it was.
    if (remoteAddress === undefined) socket.destroy();
    else if (!isBalancer(remoteAddress)) admit(socket);
    else
      reading.begin(socket, remoteAddress, (client) => {
        if (client !== null) speakFor(socket, client);
        admit(socket);
      });
  });

  function admit(socket: Socket): void {
    for (const listen of accept) {
      if (socket.destroyed) return;
      listen.call(server, socket);
    }
  }

  function speakFor(socket: Socket, client: ProxiedClient): void {
    const key = connectionKey(socket);
    clients.set(key, client);
    socket.once('close', () => {
      // The system may have given the same ports to another connection meanwhile.
      if (clients.get(key) === client) clients.delete(key);
    });
    showAddress(socket, client);
  }

  // TLS makes a socket of its own, which asks the system for the other end. Before the first request is read from it.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const client = clients.get(connectionKey(socket));
    if (client !== undefined) showAddress(socket, client);
  });

  return { endPending: reading.endAll };
}

/** Reads the headers of connections, and closes what does not begin with one in time. */
function headerReading(needs: {
  readonly timeout: Millis;
  readonly complain: (balancer: string, problem: string) => void;
}) {
  /** Each with what ends the reading of its header. */
  const pending = new Map<Socket, () => void>();

  /** @param onRead called when the header was read; null: the balancer speaks for itself */
  function begin(socket: Socket, balancer: string, onRead: (client: ProxiedClient | null) => void): void {
    let start: Buffer = Buffer.alloc(0);
    const stop = () => {
      pending.delete(socket);
      clearTimeout(timer);
      socket.off('readable', read);
      socket.off('close', onClose);
    };
    const refuse = (problem: string) => {
      stop();
      socket.destroy();
      needs.complain(balancer, problem);
    };
    const read = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      const header = readProxyHeader(start);
      if (header.state === 'incomplete') return;
      if (header.state === 'malformed') {
        refuse(header.fault);
        return;
      }
      stop();
      if (start.length > header.length) socket.unshift(start.subarray(header.length));
      onRead(header.client);
      socket.off('error', ignore);
    };
    const onClose = () => {
      stop();
      // Without a byte it was somebody who looked whether the port is open.
      if (start.length > 0) needs.complain(balancer, 'ended within the header');
    };
    // For the whole header: a byte now and then does not prolong it.
    const timer = setTimeout(() => refuse('not there in time'), needs.timeout);
    pending.set(socket, stop);
    socket.on('readable', read);
    socket.on('close', onClose);
    // What breaks is closed too.
    socket.on('error', ignore);
  }

  return {
    begin,
    endAll() {
      for (const [socket, stop] of pending) {
        stop();
        socket.destroy();
      }
    },
  };
}

function ignore(): void {}

/** Both ends of a connection, of which no other open connection has the same. */
function connectionKey({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function showAddress(socket: Socket, { address, port, family }: ProxiedClient): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    remoteFamily: { value: family },
  });
}

const mostComplaints = 1000;

/** A balancer that is set up wrongly fails with every connection; the log says so once a minute. */
function complaints(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  listener: string,
): (balancer: string, problem: string) => void {
  const made = recentMap<string, { readonly at: Millis; notLogged: number }>(mostComplaints);
  return (balancer, problem) => {
    const key = `${balancer} ${problem}`;
    const now = clock.monotonic();
    const last = made.get(key);
    if (last !== undefined && now - last.at < MINUTE) {
      last.notLogged += 1;
      return;
    }
    made.set(key, { at: now, notLogged: 0 });
    log.warn(
      'a connection without a valid PROXY header was closed: let the load balancer send one, or take its address out of proxyProtocol.balancers',
      { listener, balancer, problem, notLogged: last?.notLogged ?? 0 },
    );
  };
}
