import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock, Millis } from '../../platform/clock.ts';
import { sourcePrefix } from '../../platform/network/source-prefix.ts';

/** Of one interface. */
export const mostConnections = 20_000;
export const mostConnectionsPerSource = 2_000;

export interface ConnectionLimits {
  /** How many connections one source may have open. An IPv6 source is its /64. */
  readonly perSource: number;
  /** How long a client may take to read what was written. */
  readonly write: Millis;
}

/** How many connections each source has. */
export interface SourceCounts {
  /** Counts one more, unless the source has `most`. @returns whether it was counted */
  open(source: string, most: number): boolean;
  /** Ends a connection that was counted. */
  close(source: string): void;
}

export function sourceCounts(): SourceCounts {
  const counts = new Map<string, number>();
  return {
    open(source, most) {
      const open = counts.get(source) ?? 0;
      if (open >= most) return false;
      counts.set(source, open + 1);
      return true;
    },
    close(source) {
      const left = (counts.get(source) ?? 1) - 1;
      if (left === 0) counts.delete(source);
      else counts.set(source, left);
    },
  };
}

export interface Connections {
  /** Ends every connection, those in a handshake included. */
  destroyAll(): void;
  /** Stops the supervision. */
  stop(): void;
}

/**
 * Supervises the connections of a server: how many one source has, and that clients read their answers. Node's own
 * timeouts notice requests that do not arrive, but not answers that nobody reads.
 */
export function superviseConnections(
  { clock, counts }: { readonly clock: Clock; readonly counts: SourceCounts },
  server: Server,
  limits: ConnectionLimits,
): Connections {
  const sockets = new Set<Socket>();
  const stuckSince = new Map<Socket, Millis>();

  // Before TLS begins, so that a connection too many costs no handshake.
  server.prependListener('connection', (socket: Socket) => {
    const source = sourcePrefix(socket.remoteAddress ?? '');
    if (!counts.open(source, limits.perSource)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      counts.close(source);
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
