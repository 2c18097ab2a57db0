// A server that speaks just enough TLS 1.3 (RFC 8446) to send after its handshake what no library would send: record by
// record, at its own will. One cipher suite, X25519, an ECDSA certificate; it reads nothing after the ClientHello.

import {
  createCipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const contentTypes = { alert: 21, handshake: 22, data: 23 } as const;
const x25519 = 0x001d;
const aes128 = Buffer.from([0x13, 0x01]);

export interface Tls13Session {
  readonly socket: Socket;
  /** One record, encrypted; its contents may be anything. */
  record(type: keyof typeof contentTypes, contents: Buffer): Buffer;
  /** A KeyUpdate (4.6.3) that asks for another one, padded (5.4), after which records have the next key. */
  keyUpdate(): Buffer;
}

/** @param script what to do when the handshake of a connection is sent */
export async function startTls13Server(
  certificate: { readonly certPem: string; readonly keyPem: string },
  script: (session: Tls13Session) => void,
) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      if (received.length >= 5 && received.length >= 5 + received.readUInt16BE(3)) return;
      received = Buffer.concat([received, chunk]);
      if (received.length < 5 || received.length < 5 + received.readUInt16BE(3)) return;
      const hello = received.subarray(5, 5 + received.readUInt16BE(3));
      script({ socket, ...handshaken(socket, certificate, hello) });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Sends the server's side of the handshake (section 4). @returns how to go on */
function handshaken(
  socket: Socket,
  { certPem, keyPem }: { readonly certPem: string; readonly keyPem: string },
  hello: Buffer,
): Omit<Tls13Session, 'socket'> {
  const { sessionId, clientKey } = readHello(hello);
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const ours = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const spki = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), clientKey]);
  const shared = diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: spki, type: 'spki', format: 'der' }),
  });
  const said: Buffer[] = [hello];
  const transcript = () => createHash('sha256').update(Buffer.concat(said)).digest();
  const message = (type: number, ...parts: readonly Buffer[]) => {
    const whole = Buffer.concat([Buffer.from([type]), sized(3, ...parts)]);
    said.push(whole);
    return whole;
  };
  const version = Buffer.from([0x00, 0x2b, 0x00, 0x02, 0x03, 0x04]);
  const share = Buffer.concat([Buffer.from([0x00, 0x33]), sized(2, uint(2, x25519), sized(2, ours))]);
  const serverHello = message(
    2,
    Buffer.from([3, 3]),
    randomBytes(32),
    sized(1, sessionId),
    aes128,
    Buffer.from([0]),
    sized(2, version, share),
  );
  socket.write(Buffer.concat([Buffer.from([contentTypes.handshake, 3, 3]), sized(2, serverHello)]));

  const none = createHash('sha256').digest();
  const zero = Buffer.alloc(32);
  const handshake = hmac(expand(hmac(zero, zero), 'derived', none), shared);
  const handshakeSecret = expand(handshake, 's hs traffic', transcript());
  const certDer = new X509Certificate(certPem).raw;
  const flight = [message(8, sized(2)), message(11, sized(1), sized(3, sized(3, certDer), sized(2)))];
  const context = `${' '.repeat(64)}TLS 1.3, server CertificateVerify\0`;
  const signature = sign('sha256', Buffer.concat([Buffer.from(context), transcript()]), keyPem);
  flight.push(message(15, uint(2, 0x0403), sized(2, signature)));
  flight.push(message(20, hmac(expand(handshakeSecret, 'finished'), transcript())));
  socket.write(protectedBy(handshakeSecret)(contentTypes.handshake, Buffer.concat(flight)));

  const master = hmac(expand(handshake, 'derived', none), zero);
  let secret = expand(master, 's ap traffic', transcript());
  let protect = protectedBy(secret);
  return {
    record: (type, contents) => protect(contentTypes[type], contents),
    keyUpdate() {
      const message = Buffer.from([24, 0, 0, 1, 1, contentTypes.handshake]);
      const sent = protect(0, Buffer.concat([message, Buffer.alloc(4000)]));
      secret = expand(secret, 'traffic upd');
      protect = protectedBy(secret);
      return sent;
    },
  };
}

/** A NewSessionTicket (4.6.1). */
export function sessionTicket(): Buffer {
  const parts = [
    uint(4, 7200),
    randomBytes(4),
    sized(1, randomBytes(2)),
    sized(2, randomBytes(32)),
    sized(2),
  ];
  return Buffer.concat([Buffer.from([4]), sized(3, ...parts)]);
}

function readHello(hello: Buffer) {
  let at = 4 + 2 + 32;
  const take = (lengthBytes: number) => {
    const from = at + lengthBytes;
    at = from + hello.readUIntBE(at, lengthBytes);
    return hello.subarray(from, at);
  };
  const sessionId = take(1);
  take(2);
  take(1);
  at += 2;
  while (at < hello.length) {
    const type = hello.readUInt16BE(at);
    at += 2;
    const extension = take(2);
    if (type !== 0x33) continue;
    for (let share = 2; share < extension.length; ) {
      const length = extension.readUInt16BE(share + 2);
      const key = extension.subarray(share + 4, share + 4 + length);
      if (extension.readUInt16BE(share) === x25519) return { sessionId, clientKey: key };
      share += 4 + length;
    }
  }
  throw new Error('the client offers no X25519');
}

/** Records under a traffic secret (section 5.2). */
function protectedBy(secret: Buffer): (type: number, contents: Buffer) => Buffer {
  const [key, iv] = [expand(secret, 'key', Buffer.alloc(0), 16), expand(secret, 'iv', Buffer.alloc(0), 12)];
  let sequence = 0n;
  return (type, contents) => {
    const nonce = Buffer.from(iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ sequence, 4);
    sequence += 1n;
    const header = Buffer.concat([Buffer.from([contentTypes.data, 3, 3]), uint(2, contents.length + 1 + 16)]);
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header);
    const sealed = [cipher.update(contents), cipher.update(Buffer.from([type])), cipher.final()];
    return Buffer.concat([header, ...sealed, cipher.getAuthTag()]);
  };
}

/** HKDF-Expand-Label (section 7.1), for up to 32 bytes. */
function expand(secret: Buffer, label: string, context = Buffer.alloc(0), length = 32): Buffer {
  const info = [
    uint(2, length),
    sized(1, Buffer.from(`tls13 ${label}`)),
    sized(1, context),
    Buffer.from([1]),
  ];
  return hmac(secret, Buffer.concat(info)).subarray(0, length);
}

function hmac(key: Buffer, value: Buffer): Buffer {
  return createHmac('sha256', key).update(value).digest();
}

function uint(bytes: number, value: number): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntBE(value, 0, bytes);
  return written;
}

/** With its length before it, in this many bytes. */
function sized(lengthBytes: number, ...parts: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(parts);
  return Buffer.concat([uint(lengthBytes, whole.length), whole]);
}
