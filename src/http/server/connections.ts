import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { MINUTE } from '../../platform/clock.ts';
import { sourcesOf } from '../../platform/network/sources.ts';
import { certificateBytes, costlyChecks } from '../request/peer-certificates.ts';

/** Of one interface. */
export const mostConnections = 20_000;
/** The share of one source; see `sourcesOf`. */
export const mostConnectionsPerSource = 2_000;

/** So many costly signatures a source may have checked in its handshakes in a minute. */
const mostCostly = 20;

/**
 * So many bytes of certificates that a client has sent take one more place of its source, as long as its connection is
 * open: they stay in memory, twenty times as large. Usual chains have fewer.
 */
const bytesOfPlace = 8 * 1024;

/** How many connections each source has. */
export type SourceCounts = ReturnType<typeof sourceCounts>;

export function sourceCounts() {
  const counts = new Map<string, number>();
  return {
    /** Counts one more, unless the source has `most`. @returns whether it was counted */
    open(source: string, most: number) {
      const open = counts.get(source) ?? 0;
      if (open >= most) return false;
      counts.set(source, open + 1);
      return true;
    },
    /** Ends a connection that was counted. */
    close(source: string) {
      const left = (counts.get(source) ?? 1) - 1;
      if (left === 0) counts.delete(source);
      else counts.set(source, left);
    },
  };
}

/** Limits how many connections to a server one source has. */
export function limitConnections(
  counts: SourceCounts,
  server: Server,
  perSource: number,
): { /** Ends every connection, those in a handshake included. */ destroyAll(): void } {
  /** With the sources under which each is counted. */
  const sockets = new Map<Socket, readonly string[]>();

  /** Takes places under every source of an address. @returns gives them back; null when one has too few */
  const take = (address: string, places: number) => {
    const taken: string[] = [];
    const leave = () => {
      for (const prefix of taken) counts.close(prefix);
    };
    for (const { prefix, shares } of sourcesOf(address))
      for (let left = places; left > 0; left -= 1) {
        if (counts.open(prefix, perSource * shares)) taken.push(prefix);
        else {
          leave();
          return null;
        }
      }
    return { taken, leave };
  };

  // Before TLS begins, so that a connection too many costs no handshake.
  server.prependListener('connection', (socket: Socket) => {
    const counted = take(socket.remoteAddress ?? '', 1);
    if (counted === null) {
      socket.destroy();
      return;
    }
    sockets.set(socket, counted.taken);
    socket.once('close', () => {
      sockets.delete(socket);
      counted.leave();
    });
  });

  server.on('secureConnection', (socket: TLSSocket) => {
    const more = Math.floor(certificateBytes(socket) / bytesOfPlace);
    if (more === 0) return;
    const counted = take(socket.remoteAddress ?? '', more);
    if (counted === null) socket.destroy();
    else socket.once('close', counted.leave);
  });

  // A handshake checks what the keys of certificates have signed before we can judge them. So it takes places of its
  // source, whether it succeeded or not, and beyond the last one: the connection has one itself. Where there is none,
  // the connections of the source end, which may all be about to send such a signature.
  const places = Math.ceil(perSource / mostCostly);
  const charge = (socket: TLSSocket) => {
    const charged = places * Math.min(mostCostly, costlyChecks(socket));
    if (charged === 0) return;
    for (const { prefix, shares } of sourcesOf(socket.remoteAddress ?? '')) {
      let left = charged;
      for (; left > 0 && counts.open(prefix, perSource * shares + places); left -= 1)
        setTimeout(() => counts.close(prefix), MINUTE).unref();
      if (left > 0) endAllOf(prefix);
    }
  };
  const endAllOf = (prefix: string) => {
    for (const [open, counted] of sockets) if (counted.includes(prefix)) open.destroy();
  };
  server.on('secureConnection', charge);
  server.on('tlsClientError', (_error, socket) => charge(socket));

  return {
    destroyAll() {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

const turns = 6;

/**
 * Resolves when the end of a connection whose request has just been read is known, if it lies there too. Only a later
 * turn of the event loop reads that, and the answer of a database may be read in between. Three turns were seen.
 */
export async function connectionEndsRead(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}
