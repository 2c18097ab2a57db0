// Clients that wait before they send a body, and bodies that nobody reads.

import type { IncomingMessage, ServerResponse } from 'node:http';
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
