// Long answers are written in parts, each when the client has taken the one before: TLS would encrypt the whole answer
// into memory.

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Longer bodies are written in parts of this many bytes. It is about the size of one TLS record. */
export const longestPart = 16 * 1024;

const unsent = new WeakMap<Duplex, number>();

/** How many bytes of an answer were made for this connection and wait for those before them to be taken. */
export function unsentBytes(socket: Duplex): number {
  return unsent.get(socket) ?? 0;
}

/** Writes a body whose head is set. Ends silently if the client goes away. */
export function writeInParts(response: ServerResponse, body: readonly (string | Uint8Array)[]): void {
  const { socket } = response;
  // Bytes are kept anyway, for other answers.
  const isShared = body.every((piece) => typeof piece !== 'string');
  let left = body.reduce((sum, { length }) => sum + length, 0);
  const parts = partsOf(body);
  const writeNext = (error?: Error | null) => {
    if (error != null || response.destroyed) return;
    const { value: part, done } = parts.next();
    left -= part?.length ?? 0;
    if (socket !== null && !isShared) unsent.set(socket, Math.max(0, left));
    if (done === true) response.end();
    else response.write(part, writeNext);
  };
  response.once('close', () => socket !== null && unsent.delete(socket));
  writeNext();
}

/**
 * Writes a body that is made meanwhile, each piece when the client has taken those before. Ends the source if the
 * client goes away, and at once for HEAD.
 * @param admitAgain rejects when the client may have no more
 * @throws every error of both, after it broke the answer off
 */
export async function writeWhileMade(
  response: ServerResponse,
  body: AsyncIterable<string>,
  admitAgain: (() => Promise<void> | undefined) | null,
): Promise<void> {
  const gone = new Promise<boolean>((resolve) => response.once('close', () => resolve(false)));
  const taken = (part: Uint8Array) =>
    new Promise<boolean>((resolve) => response.write(part, (error) => resolve(error == null)));
  try {
    for await (const piece of body) {
      if (response.req.method === 'HEAD') break;
      await admitAgain?.();
      for (const part of partsOf([piece]))
        if (response.destroyed || !(await Promise.race([taken(part), gone]))) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function* partsOf(body: readonly (string | Uint8Array)[]): Generator<Uint8Array, undefined> {
  for (const piece of body) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let at = 0; at < bytes.length; at += longestPart) yield bytes.subarray(at, at + longestPart);
  }
}
