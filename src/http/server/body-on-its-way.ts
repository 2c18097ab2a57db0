// Clients that wait before they send a body, the part of a body that has arrived, and bodies that no endpoint reads.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthError } from '../../errors/auth-error.ts';
import { bodyLimit } from '../request/body.ts';

/** How much of a body that is refused for its length is read before the refusal is sent. */
const discardedBody = 2 * bodyLimit;

/** As Node reads it. */
const continueExpected = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Tells a client that waits for it to send its body, unless the announced length will be refused.
 * @see RFC 9110 section 10.1.1
 */
export function inviteBody(request: IncomingMessage, response: ServerResponse, limit: number): void {
  if (isAwaited(request) && announcedLength(request) <= limit) response.writeContinue();
}

const gathered = new WeakMap<IncomingMessage, number>();

/** How much memory the body of a request takes, whether all of it has come or not, in bytes. */
export function gatheredBytes(request: IncomingMessage): number {
  return gathered.get(request) ?? 0;
}

/**
 * Reads a body into memory of its size. The framework keeps each chunk as an object until the last one has come: of chunks
 * of one byte, a client that never sends the last one made a hundred times what it sent.
 * @param limit in bytes
 * @param done  with an error if it is longer, or breaks off
 */
export function gatherBody(
  request: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  let bytes = Buffer.alloc(0);
  let length = 0;
  const end = (error?: Error) => {
    request.off('data', add).off('end', end).off('error', end);
    if (error === undefined) done(null, bytes.subarray(0, length));
    else done(error);
  };
  const add = (chunk: Buffer) => {
    const next = length + chunk.length;
    if (next > limit) return end(new AuthError('payload_too_large'));
    if (next > bytes.length) {
      const larger = Buffer.alloc(Math.min(limit, Math.max(next, 2 * length)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
      // Larger ones are those of administrators, which no stranger's may displace.
      gathered.set(request, Math.min(bytes.length, bodyLimit));
    }
    chunk.copy(bytes, length);
    length = next;
  };
  if (announcedLength(request) > limit) end(new AuthError('payload_too_large'));
  else request.on('data', add).on('end', end).on('error', end).resume();
}

/**
 * Waits until the client has sent its body, unless that is very long or was not invited: the connection is closed after
 * this answer, and a client that is still sending would then see a reset instead of the answer. What arrives is dropped.
 */
export function afterItsBody(request: IncomingMessage, send: () => void): void {
  const announced = announcedLength(request);
  // What was announced was refused before it was invited.
  if (request.complete || announced > discardedBody || (isAwaited(request) && announced > 0)) {
    send();
    return;
  }
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > discardedBody) done();
  };
  const done = () => {
    request.off('data', count).off('end', done).off('close', done);
    send();
  };
  request.on('data', count).on('end', done).on('close', done);
}

function announcedLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

function isAwaited({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && continueExpected.test(headers.expect ?? '');
}
