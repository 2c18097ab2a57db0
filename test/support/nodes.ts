// Several controllers on one PostgreSQL database, behind one address, as behind a load balancer.

import { freePort } from './free-port.ts';
import { type HttpsClient, httpsClient } from './https-client.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** What clients dial; there is no listener. */
const address = 'localhost:1280';

export interface Node extends HttpsClient {
  readonly server: TestServer;
}

/** A node that sees requests as if they came through the load balancer. */
export async function startNode(db: string, options: TestServerOptions = {}): Promise<Node> {
  const port = await freePort();
  const server = await startTestServer({
    ...options,
    db,
    configure: (yaml) => yaml.replaceAll('localhost:0', address).replace('127.0.0.1:0', `127.0.0.1:${port}`),
  });
  const client = httpsClient(`https://localhost:${port}`, server.caPem);
  return { server, ...asDialled(client, address) };
}

/** A client whose requests name another address than the one they are sent to. */
export function asDialled(client: HttpsClient, host: string): HttpsClient {
  const request: HttpsClient['request'] = (method, path, init = {}) =>
    client.request(method, path, { ...init, headers: { host, ...init.headers } });
  return {
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
    closeConnections: client.closeConnections,
  };
}
