import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Listener } from '../../config/config.ts';
import { acmeFiles } from '../../config/resolve.ts';
import { sha256 } from '../../platform/digest.ts';
import { readText } from '../../platform/read-file.ts';
import { ListenError } from './listen-error.ts';

/** The certificate and key of a listener. */
export interface TlsMaterial {
  /** PEM: the server certificate first, then its intermediates. */
  readonly certificateChain: string;
  /** PEM, unencrypted. */
  readonly privateKey: string;
}

// Only suites with an ephemeral key exchange and an authenticated cipher (RFC 9325 section 4.2).
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const nodeVersions = { 'TLS1.2': 'TLSv1.2', 'TLS1.3': 'TLSv1.3' } as const;

/** The part of the TLS settings that changes when certificates are reloaded. */
export function secureContextOf(listener: Listener, material: TlsMaterial): SecureContextOptions {
  return {
    cert: material.certificateChain,
    key: material.privateKey,
    minVersion: nodeVersions[listener.minTLSVersion],
    maxVersion: nodeVersions[listener.maxTLSVersion],
    ciphers: ciphers,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
    // A session of another listener, which may trust others, must not be resumed here.
    sessionIdContext: sha256(`listener ${listener.name}`).slice(0, 32),
  };
}

/**
 * The TLS settings of a listener's servers. The handshake asks clients for certificates and never refuses one: each
 * login decides who may log in with it. No CA names are sent, because some clients would then withhold a certificate of
 * a CA that is not named.
 * The protocol is chosen by `chooseProtocol`.
 * @param ticketKeys 48 random bytes, of this listener only
 */
export function tlsOptionsOf(listener: Listener, material: TlsMaterial, ticketKeys: Buffer): TlsOptions {
  return {
    ...secureContextOf(listener, material),
    ticketKeys,
    requestCert: listener.clientCertificates === 'request',
    rejectUnauthorized: false,
    handshakeTimeout: listener.readTimeout,
  };
}

/**
 * @throws ListenError when certificate and key cannot be read or do not belong together
 */
export function checkTlsMaterial(listener: Listener, material: TlsMaterial): void {
  const refuse = (what: string, cause?: unknown) =>
    new ListenError(`The identity of the listener ${JSON.stringify(listener.name)} cannot be used: ${what}`, {
      cause,
    });
  const { serverCertFile, keyFile } = listener.identity;
  let leaf: X509Certificate;
  let key: KeyObject;
  try {
    leaf = new X509Certificate(material.certificateChain);
  } catch (error) {
    throw refuse(`${serverCertFile} does not begin with a certificate in PEM form.`, error);
  }
  try {
    key = createPrivateKey(material.privateKey);
  } catch (error) {
    throw refuse(`${keyFile} does not hold an unencrypted private key in PEM form.`, error);
  }
  if (!leaf.checkPrivateKey(key))
    throw refuse(`the key in ${keyFile} does not belong to the certificate in ${serverCertFile}.`);
  try {
    createSecureContext(secureContextOf(listener, material));
  } catch (error) {
    throw refuse(`${error instanceof Error ? error.message : String(error)}.`, error);
  }
}

// How a listener answers an ACME authority that wants to see whether a name is served here (RFC 8737): in the handshake
// of a connection for the protocol `acme-tls/1`. Other connections notice nothing.
const acmeProtocol = 'acme-tls/1';

/**
 * Chooses the protocol of a connection. Without a pending challenge a connection of an authority is refused, as any
 * other without HTTP/1.1 is. The file is read at each, because any thread may be asked.
 */
export function chooseProtocol(listener: () => Listener) {
  return function choose(this: TLSSocket, offered: { protocols: readonly string[] }): string | undefined {
    if (offered.protocols.includes('http/1.1')) return 'http/1.1';
    const { name, identity } = listener();
    if (identity.acme === undefined || !offered.protocols.includes(acmeProtocol)) return undefined;
    try {
      const pem = readText(acmeFiles(identity.acme, name).challenge);
      this.setKeyCert(createSecureContext({ cert: pem, key: pem }));
      return acmeProtocol;
    } catch {
      return undefined;
    }
  };
}

/** Ends a connection that was opened to see the certificate only. */
export function endChallenge(socket: TLSSocket): void {
  if (socket.alpnProtocol === acmeProtocol) socket.destroy();
}
