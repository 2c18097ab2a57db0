// Bytes that wait in memory for clients: answers that they do not take, requests that they send meanwhile, and handshakes
// and bodies that they have begun to send. The connection of a client that takes nothing for too long ends, and so do the
// oldest ones when too much waits.

import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Millis } from '../../platform/clock.ts';
import { widestSource } from '../../platform/network/sources.ts';
import { unsentBytes } from '../request/long-answer.ts';
import { heldBytes } from './one-at-a-time.ts';

/** How many bytes may wait for all connections of a source, and of the process. */
export interface WaitingLimits {
  readonly perSource: number;
  readonly all: number;
}

// TLS may have as much again, encrypted.
const usualLimits: WaitingLimits = { perSource: 16 * 1024 * 1024, all: 48 * 1024 * 1024 };

/** Waiting bytes of each source, and in all, over several threads. */
export type WaitingSums = ReturnType<typeof waitingSums>;

/** Of a single thread. */
export function waitingSums() {
  let published: ReadonlyMap<string, number> = new Map();
  return {
    /** @param bySource what waits in this thread now, in bytes */
    publish(bySource: ReadonlyMap<string, number>) {
      published = bySource;
    },
    /** In all threads, as last published. */
    of: (source: string) => published.get(source) ?? 0,
    all: () => sumOf(published),
  };
}

export type WaitingBytes = ReturnType<typeof waitingBytes>;

interface Watched {
  /** The bytes that wait now. */
  readonly bytes: () => number;
  readonly longest: Millis;
  readonly source: string;
  /** Since when something waits, and since when the client has taken none of it. */
  waitingSince: Millis | null;
  taken: number;
  takenAt: Millis;
}

// Looking costs nothing while requests are answered. What could be made meanwhile is bounded by the processor.
const interval: Millis = 100;

/** So much an ordinary client sends in its handshake. After a restart there are thousands at once, which must not count. */
const usualHandshake = 8 * 1024;

/** One for all servers of a thread. */
export function waitingBytes({ clock }: { clock: Clock }, sums: WaitingSums, limits = usualLimits) {
  const sockets = new Map<Socket, Watched>();
  const servers = new Set<Server>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = clock.monotonic();

  function look(): void {
    const now = clock.monotonic();
    // While this thread stands still, clients cannot take anything.
    const stoodStill = Math.max(0, now - lookedAt - interval);
    lookedAt = now;
    const bySource = new Map<string, number>();
    for (const [socket, watched] of sockets) {
      const bytes = watched.bytes();
      if (bytes === 0) {
        watched.waitingSince = null;
        continue;
      }
      watched.waitingSince ??= now;
      watched.takenAt += stoodStill;
      if (isStuck(socket, watched, now)) socket.destroy();
      else bySource.set(watched.source, (bySource.get(watched.source) ?? 0) + bytes);
    }
    sums.publish(bySource);
    endTooMany(bySource);
  }

  /** Of the sources with most, those that have waited longest. */
  function endTooMany(bySource: ReadonlyMap<string, number>): void {
    const dearest = [...bySource.keys()].sort((one, other) => sums.of(other) - sums.of(one));
    let tooMuch = sums.all() - limits.all;
    for (const source of dearest) {
      const excess = Math.max(tooMuch, sums.of(source) - limits.perSource);
      if (excess > 0) tooMuch -= endLongest(sockets, { source, excess });
    }
  }

  return {
    /** Supervises the connections of a server. @param longest how long a client may take for a part of an answer */
    watch(server: Server, longest: Millis) {
      servers.add(server);
      timer ??= setInterval(look, interval).unref();
      const add = (socket: Socket, bytes: () => number) => {
        const source = widestSource(socket.remoteAddress ?? '');
        sockets.set(socket, { bytes, longest, source, waitingSince: null, taken: 0, takenAt: 0 });
        socket.once('close', () => sockets.delete(socket));
      };
      // TLS keeps a message of the handshake, up to 128 KB, until its last byte has come.
      server.on('connection', (socket: Socket) => {
        if (!socket.destroyed) add(socket, () => Math.max(0, socket.bytesRead - usualHandshake));
      });
      server.on('secureConnection', (socket: TLSSocket & { readonly _parent?: Socket | null }) => {
        // Node has no public access to the connection below. Several may say that they come from one address and port.
        if (socket._parent != null) sockets.delete(socket._parent);
        add(socket, () => waitingFor(socket));
      });
    },
    /** Ends the supervision of a server. */
    release(server: Server) {
      servers.delete(server);
      if (servers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function isStuck(socket: Socket, watched: Watched, now: Millis): boolean {
  const taken = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength === 0 || taken !== watched.taken || watched.waitingSince === now) {
    watched.taken = taken;
    watched.takenAt = now;
  }
  return now - watched.takenAt >= watched.longest;
}

/** @returns how many bytes no longer wait */
function endLongest(
  sockets: ReadonlyMap<Socket, Watched>,
  { source, excess }: { source: string; excess: number },
): number {
  const waiting = [...sockets].filter(([, one]) => one.source === source && one.waitingSince !== null);
  waiting.sort(([, one], [, other]) => (one.waitingSince ?? 0) - (other.waitingSince ?? 0));
  let freed = 0;
  for (const [socket, { bytes }] of waiting) {
    if (freed >= excess) break;
    freed += bytes();
    socket.destroy();
  }
  return freed;
}

function waitingFor(socket: TLSSocket): number {
  return socket.writableLength + unsentBytes(socket) + heldBytes(socket);
}

function sumOf(amounts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const amount of amounts.values()) sum += amount;
  return sum;
}
