// The client library against a real server.

import { httpsTransport } from '../../packages/client/src/node/https-transport.ts';
import type { Transport } from '../../packages/client/src/transport.ts';
import type { TestServer } from '../support/test-server.ts';

/** A transport that trusts the test server and keeps no connections. */
export function transportTo(
  { caPem }: Pick<TestServer, 'caPem'>,
  clientCertificate?: { readonly certPem: string; readonly keyPem: string },
): Transport {
  const { certPem: cert = '', keyPem: key = '' } = clientCertificate ?? {};
  return httpsTransport({
    ca: caPem,
    ...(clientCertificate === undefined ? {} : { clientCertificate: { cert, key } }),
    agent: { keepAlive: false },
  }).send;
}
