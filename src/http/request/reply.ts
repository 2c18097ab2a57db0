import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, isInParts } from './answer.ts';

/** Sends an answer in addition to the headers that are there already. */
export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  if (reply.sent) return;
  reply.code(answer.status);
  for (const name in answer.headers) reply.header(name, answer.headers[name]);
  if (hasUnreadBody(request.raw)) {
    reply.header('connection', 'close');
    closeGently(request.raw);
  }
  const { body } = answer;
  if (body === null) reply.send();
  else if (isInParts(body)) reply.send(Readable.from(body.parts));
  else reply.send(body);
}

/** How long a client that is still sending has to read the answer. */
const LINGER_MS = 500;
const SMALL_REST = 64 * 1024;

// A short rest is read and dropped by Node, and the connection stays usable.
function hasUnreadBody(raw: IncomingMessage): boolean {
  if (raw.complete) return false;
  if (raw.headers['transfer-encoding'] !== undefined) return true;
  return Number(raw.headers['content-length'] ?? 0) > SMALL_REST;
}

/**
 * After the answer, stops reading and closes half of the connection, and the rest a little later: closing at
 * once while the client is sending makes its system discard the answer (RFC 9112 section 9.6). Reading on
 * would let it send without end.
 */
function closeGently(raw: IncomingMessage): void {
  const { socket } = raw;
  socket.destroySoon = () => {
    socket.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
