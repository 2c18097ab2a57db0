// A client that costs as little as possible, so that the server is what is busy: HTTP/1.1 over one TLS
// connection, one request at a time, answers with a length only.
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

export interface Answer {
  readonly status: number;
  /** Status line and header lines. */
  readonly head: string;
  readonly body: string;
}

export interface Connection {
  readonly socket: TLSSocket;
  /** @param head header lines besides Host, each ended by CRLF. @throws Error when the connection ends early */
  request(method: string, target: string, head?: string, body?: string): Promise<Answer>;
  close(): void;
}

/**
 * Resolves when the handshake is done. Certificates of the servers, which the benchmark has made, are not judged.
 * @param tls client certificate, session to resume
 */
export function openConnection(port: number, tls: ConnectionOptions = {}): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
      ...tls,
    });
    let received = '';
    let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
    const fail = (error: Error) => {
      waiting?.reject(error);
      waiting = undefined;
      reject(error);
    };
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server has closed the connection')));
    socket.on('data', (chunk: string) => {
      received = received === '' ? chunk : received + chunk;
      const answer = readAnswer(received);
      if (answer === undefined) return;
      received = '';
      const { resolve: settle } = waiting ?? {};
      waiting = undefined;
      settle?.(answer);
    });
    socket.on('secureConnect', () =>
      resolve({
        socket,
        request: (method, target, head = '', body = '') =>
          new Promise((settle, refuse) => {
            waiting = { resolve: settle, reject: refuse };
            const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
            socket.write(
              `${method} ${target} HTTP/1.1\r\nhost: localhost:${port}\r\n${head}${length}\r\n${body}`,
            );
          }),
        close: () => void socket.destroy(),
      }),
    );
  });
}

const lengthLine = /\r\ncontent-length: *(\d+)/i;

/** The answer, or undefined while some of it is missing. */
function readAnswer(received: string): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.slice(0, end);
  const status = Number(head.slice(9, 12));
  const length = lengthLine.exec(head)?.[1];
  if (length === undefined && status !== 204) throw new Error(`an answer without a length:\n${head}`);
  const whole = end + 4 + Number(length ?? 0);
  if (received.length < whole) return undefined;
  return { status, head, body: received.slice(end + 4, whole) };
}

/** The value of a header line. @throws Error when there is none */
export function headerOf(answer: Answer, name: string): string {
  const found = new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(answer.head)?.[1];
  if (found === undefined)
    throw new Error(`no ${name} in the answer:\n${answer.head}\n\n${answer.body.slice(0, 500)}`);
  return found;
}

/** @throws Error unless the answer has this status */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}:\n${answer.head}\n\n${answer.body.slice(0, 500)}`);
}
