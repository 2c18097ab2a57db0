// Several controllers on one PostgreSQL database, behind one address, as behind a load balancer.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type HttpsClient, httpsClient } from './https-client.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** What clients dial; nobody listens there. */
const address = 'localhost:1280';

export interface Node extends HttpsClient {
  readonly server: TestServer;
}

/** A node whose requests look as if they came through the load balancer. */
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

/** A client whose requests name another address than the one that they are sent to. */
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

/** A port of the system's choice; an address that is not that of the interface does not follow it by itself. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
