// OpenSSL's opinion on a client's certificates: the verdict of a real handshake, in which the client has the key of its
// leaf.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { authority, client, clientExtensions, type Made } from './chains.ts';

export interface PresentedChain {
  readonly leaf: Made;
  /** Sent after the leaf, in this order. */
  readonly sent: readonly Made[];
  readonly anchors: readonly Made[];
}

const serverAuthority = authority();
const serverCertificate = client(
  { subject: 'localhost', issuer: serverAuthority },
  clientExtensions().slice(0, 2),
);

/** `trusted`, or the name of OpenSSL's error. */
export async function tlsVerdict({ leaf, sent, anchors }: PresentedChain): Promise<string> {
  const own = { cert: serverCertificate.certPem, key: serverCertificate.keyPem };
  const context = createSecureContext({
    ...own,
    ca: anchors.map((anchor) => anchor.certPem),
    // An anchor is trusted because it is configured, whether or not it is self-signed.
    allowPartialTrustChain: true,
  });
  const server = createServer({
    ...own,
    requestCert: true,
    rejectUnauthorized: false,
    // The server itself has no option for partial chains.
    SNICallback: (_name, choose) => choose(null, context),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const verdict = new Promise<string>((resolve) => {
    server.once('secureConnection', (socket: TLSSocket) => {
      resolve(socket.authorized ? 'trusted' : String(socket.authorizationError));
      socket.destroy();
    });
    server.once('tlsClientError', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    servername: 'localhost',
    cert: [leaf, ...sent].map((certificate) => certificate.certPem).join(''),
    key: leaf.keyPem,
    // Lets the client use a weak certificate; the server judges by its own defaults.
    ciphers: 'DEFAULT:@SECLEVEL=0',
    rejectUnauthorized: false,
  });
  socket.on('error', () => {});
  try {
    return await verdict;
  } finally {
    socket.destroy();
    server.close();
  }
}
