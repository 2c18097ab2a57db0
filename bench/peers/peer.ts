import { readFileSync } from 'node:fs';
import type { ServerOptions } from 'node:https';

/** Arguments of every peer: port, server certificate, its key. */
export interface PeerArguments {
  readonly port: number;
  /** As the controller sets its listeners up: a client certificate is asked for and not judged. */
  readonly tls: ServerOptions;
}

export function peerArguments(): PeerArguments {
  const [, , port = '', cert = '', key = ''] = process.argv;
  return {
    port: Number(port),
    tls: {
      cert: readFileSync(cert),
      key: readFileSync(key),
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      keepAliveTimeout: 5000,
    },
  };
}
