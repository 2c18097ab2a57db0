import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock, Millis } from '../../platform/clock.ts';
import { sourcePrefix } from '../../platform/network/source-prefix.ts';

export interface ConnectionLimits {
  /** Connections that one source may have open; an IPv6 source is its /64. */
  readonly perSource: number;
  /** How long a client may take to read what was written. */
  readonly write: Millis;
}

export interface Connections {
  /** Ends every connection, those in a handshake included. */
  destroyAll(): void;
  /** Stops the supervision. */
  stop(): void;
}

/**
 * Supervises the connections of a server: how many one source has, and that answers are read. Node's own
 * timeouts see requests that do not arrive, but not answers that are not taken.
 */
export function superviseConnections(clock: Clock, server: Server, limits: ConnectionLimits): Connections {
  const sockets = new Set<Socket>();
  const perSource = new Map<string, number>();
  const stuckSince = new Map<Socket, Millis>();

  // Before TLS begins, so that a connection too many costs no handshake.
  server.prependListener('connection', (socket: Socket) => {
    const source = sourcePrefix(socket.remoteAddress ?? '');
    const open = perSource.get(source) ?? 0;
    if (open >= limits.perSource) {
      socket.destroy();
      return;
    }
    perSource.set(source, open + 1);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (perSource.get(source) ?? 1) - 1;
      if (left === 0) perSource.delete(source);
      else perSource.set(source, left);
    });
  });

  const secured = new Set<Socket>();
  server.on('secureConnection', (socket) => {
    secured.add(socket);
    socket.once('close', () => {
      secured.delete(socket);
      stuckSince.delete(socket);
    });
  });

  function endStuckConnections(): void {
    const now = clock.monotonic();
    for (const socket of secured) {
      if (socket.writableLength === 0) {
        stuckSince.delete(socket);
        continue;
      }
      const since = stuckSince.get(socket);
      if (since === undefined) stuckSince.set(socket, now);
      else if (now - since >= limits.write) socket.destroy();
    }
  }

  const timer = setInterval(endStuckConnections, Math.max(50, limits.write / 10));
  timer.unref();

  return {
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
