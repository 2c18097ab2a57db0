// Unused ports, for processes that must know theirs before they listen.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemRandom } from '../../src/platform/random.ts';

/**
 * A port that is this process's until it ends: no other caller gets it, also in another process, since a UDP socket holds
 * its number. It is below the range from which systems take ports for connections, so that it is still free when a program
 * starts to listen there, and after that program was killed.
 */
export async function freePort(candidate: () => number = anyPort): Promise<number> {
  for (;;) {
    const port = candidate();
    if ((await isReserved(port)) && (await isFree(port))) return port;
  }
}

/** In the range of {@link freePort}; it may be taken. */
export const anyPort = () => 20_000 + (systemRandom.bytes(4).readUInt32BE() % 10_000);

async function isReserved(port: number): Promise<boolean> {
  const holder = createSocket('udp4');
  try {
    holder.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(holder, 'listening');
  } catch {
    // One that could not be bound is open all the same.
    holder.close();
    return false;
  }
  holder.unref();
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port), 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
