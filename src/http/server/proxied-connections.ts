// Behind a load balancer that passes TCP through, every connection comes from the balancer, which says by the PROXY
// protocol whose it is. This file reads that before TLS, and before anything counts connections. From then on the
// socket has the client's address, so nothing else needs to know about balancers.

import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Listener } from '../../config/config.ts';
import { recentMap } from '../../platform/caches.ts';
import { type Clock, MINUTE, type Millis } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { addressSet } from '../../platform/network/address-rules.ts';
import { type ProxiedClient, readProxyHeader } from '../../platform/network/proxy-header.ts';

/**
 * Lets the balancers of a listener speak for their clients. A connection from one of their addresses has to begin with
 * a PROXY header and is closed otherwise; other connections are never searched for one. So the source of a connection
 * decides, never its first bytes.
 *
 * Call it after everything else that listens for the server's connections is set up: those listeners are called once
 * the header has been read.
 * @returns `endPending`: closes the connections that have not said yet whose they are
 */
export function readProxyHeaders(needs: { clock: Clock; log: Logger }, server: Server, listener: Listener) {
  const isBalancer = addressSet(listener.proxyProtocol.balancers);
  const complain = complaints(needs, listener.name);
  const reading = headerReading({ timeout: listener.readTimeout, complain });
  const clients = new Map<string, ProxiedClient>();

  // On the server itself and not on one in front of it: limits, addresses, draining and Node's own supervision of
  // requests, which begins with `listen`, stay the same.
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Closed already: its address is unknown.
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

  // TLS makes its own socket, which asks the system for the other end. Must run before the first request is read from
  // it.
  const showClient = (socket: TLSSocket) => {
    const client = clients.get(connectionKey(socket));
    if (client !== undefined) showAddress(socket, client);
  };
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    if (socket.remoteAddress === undefined) socket.destroy();
    else showClient(socket);
  });
  server.prependListener('tlsClientError', (_error, socket) => showClient(socket));

  return { endPending: reading.endAll };
}

/** Reads the headers of connections, and closes those that do not begin with one in time. */
function headerReading(needs: { timeout: Millis; complain: (balancer: string, problem: string) => void }) {
  /** Each with a function that stops reading its header. */
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
      // Without a byte, a health check only tested whether the port is open.
      if (start.length > 0) needs.complain(balancer, 'ended within the header');
    };
    // For the whole header: sending a byte now and then does not prolong it.
    const timer = setTimeout(() => refuse('not there in time'), needs.timeout);
    pending.set(socket, stop);
    socket.on('readable', read);
    socket.on('close', onClose);
    // A connection that breaks is closed too.
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

/** Both ends of a connection, which no other open connection shares. */
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

/** A misconfigured balancer fails with every connection. The log says so once a minute. */
function complaints(
  { clock, log }: { clock: Clock; log: Logger },
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
