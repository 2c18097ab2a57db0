import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AuthError } from '../../errors/auth-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { unmapped } from '../../platform/network/sources.ts';
import { edgeError } from '../request/error-answers.ts';
import { recordFailure } from '../request/refused-request.ts';
import { securityHeaders } from '../request/security-headers.ts';
import type { ServerServices } from './mount.ts';

type BrokenRequestServices = Pick<ServerServices, 'newReferenceId' | 'strangersLog' | 'attempts'>;

const tlsFailed = { level: 'info', kind: 'tls', message: 'TLS failed' } as const;

/** A request of which nothing else is known. */
function unread(requestId: string, socket: Duplex, method: string) {
  const ipAddress = unmapped((socket as Duplex & Pick<Socket, 'remoteAddress'>).remoteAddress);
  return { sent: { method, path: undefined }, context: null, origin: { requestId, ipAddress, issuer: '' } };
}

/**
 * Answers a message that is not an HTTP request or did not arrive in time, and closes the connection: after a broken
 * message the start of the next one is unknown (RFC 9112 section 9.3).
 */
export function clientErrorHandler({ strangersLog: log, newReferenceId, attempts }: BrokenRequestServices) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ERR_SSL_HTTP_REQUEST') {
      log.write({ ...tlsFailed, fields: { detail: error.code } });
      sayToUseHttps(socket);
      return;
    }
    if (error.code === 'ECONNRESET' || !socket.writable || hasAnswerUnderWay(socket)) {
      socket.destroy();
      return;
    }
    // Without TLS no answer can be sent: it would wait for a handshake that never comes.
    if (!isOfHttp(error)) {
      log.write({ ...tlsFailed, fields: { detail: error.code } });
      socket.destroy();
      return;
    }
    const requestId = newReferenceId();
    const { status, reason, code } = meaningOf(error.code);
    const fields = { requestId, status, errorCode: code, detail: error.code };
    log.write({ level: 'info', kind: code, message: 'request refused', fields });
    const failure = new AuthError(code, { detail: error.code ?? code });
    recordFailure(attempts, failure, unread(requestId, socket, '?'));
    write(socket, failure, { requestId, status, reason });
  };
}

/** CONNECT does not reach the request handler: Node hands over the bare connection. */
export function refuseConnect(server: Server, { attempts, newReferenceId }: BrokenRequestServices): void {
  server.on('connect', (_request, socket: Duplex) => {
    const failure = new AuthError('method_not_allowed');
    const requestId = newReferenceId();
    recordFailure(attempts, failure, unread(requestId, socket, 'CONNECT'));
    write(socket, failure, {
      requestId,
      status: 405,
      reason: 'Method Not Allowed',
      further: ['allow: GET, POST, OPTIONS'],
    });
  });
}

const useHttps = 'This port speaks HTTPS. Use an address that begins with https://\n';

/**
 * Answers a plain HTTP request, which TLS recognizes by its first bytes. None of it is read or repeated. Node has no
 * public access to the connection below TLS: if the private one is missing, the connection is closed without an answer.
 */
function sayToUseHttps(socket: Duplex): void {
  const { _parent: connection } = socket as { _parent?: Duplex | null };
  if (connection?.writable !== true) {
    socket.destroy();
    return;
  }
  const lines = [
    'HTTP/1.1 400 Bad Request',
    'content-type: text/plain; charset=utf-8',
    `content-length: ${useHttps.length}`,
    'cache-control: no-store',
    'connection: close',
  ];
  const close = () => {
    connection.destroy();
    socket.destroy();
  };
  connection.on('error', close);
  connection.end(`${lines.join('\r\n')}\r\n\r\n${useHttps}`, close);
}

function isOfHttp({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
}

function meaningOf(code: string | undefined): { status: number; reason: string; code: ErrorCode } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, reason: 'Request Header Fields Too Large', code: 'header_too_large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'Request Timeout', code: 'invalid_request' };
  return { status: 400, reason: 'Bad Request', code: 'invalid_request' };
}

// The first bytes of an answer are sent already: another status line would be read as its body.
function hasAnswerUnderWay(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as { _httpMessage?: { headersSent?: boolean } | null };
  return message?.headersSent === true;
}

function write(
  socket: Duplex,
  failure: AuthError,
  {
    requestId,
    status,
    reason,
    further = [],
  }: { requestId: string; status: number; reason: string; further?: readonly string[] },
): void {
  const { body } = edgeError(failure, { requestId, accept: undefined, language: 'en', usedBasic: false });
  const text = String(body);
  const lines = [
    `HTTP/1.1 ${status} ${reason}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    ...further,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
