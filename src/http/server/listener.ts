// Opens and closes the listeners of the configuration: one TLS server for each interface.

import { createServer as createHttpsServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyServerFactoryHandler } from 'fastify';
import type { BindPoint, Listener } from '../../config/config.ts';
import type { Millis } from '../../platform/clock.ts';
import { sourceLoad } from '../../platform/network/sources.ts';
import type { Views } from '../pages/views.ts';
import { mostHeaders, type OpenBindPoint, type ServerScope } from '../request/begin-request.ts';
import { bodyLimit } from '../request/body.ts';
import { rememberHandshake } from '../request/peer-certificates.ts';
import { referenceIds } from '../request/request-context.ts';
import { type Route, servesApi } from '../request/route.ts';
import { clientErrorHandler, refuseConnect } from './client-errors.ts';
import {
  limitConnections,
  mostConnections,
  mostConnectionsPerSource,
  type SourceCounts,
  sourceCounts,
} from './connections.ts';
import { listenErrorOf } from './listen-error.ts';
import { failureHandler, type ListenerServices, mountRoutes, type ServerServices } from './mount.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { bindPointOpener, byInterface, nameHost, withPort } from './open-bind-points.ts';
import { readProxyHeaders } from './proxied-connections.ts';
import { longestParameter } from './routes-of-path.ts';
import { type CountedTogether, sharedSourceCounts } from './shared-source-counts.ts';
import {
  checkTlsMaterial,
  chooseProtocol,
  endChallenge,
  secureContextOf,
  type TlsMaterial,
  tlsOptionsOf,
} from './tls-material.ts';
import { type WaitingBytes, waitingBytes, waitingSums } from './waiting-bytes.ts';

/** The endpoints of a listener, according to the configuration. */
export interface Endpoints {
  readonly listener: Listener;
  readonly material: TlsMaterial;
  /** All endpoints. */
  readonly routes: readonly Route[];
  readonly views: Views;
}

export type RunningListener = Awaited<ReturnType<typeof startListener>>;

export interface ListenerOptions {
  /** How many connections one source may have open on one interface. */
  readonly connectionsPerSource?: number;
  /** How long `close` waits for requests under way. */
  readonly drain?: Millis;
  /** Bytes that wait for the clients of all listeners of this thread; default: of this one. */
  readonly waiting?: WaitingBytes;
  /** Other threads listen on the same interfaces; the system spreads the connections over all. */
  readonly shared?: SharedInterfaces;
}

export interface SharedInterfaces {
  /** How many threads listen there. */
  readonly threads: number;
  readonly counted: CountedTogether;
  /**
   * The keys of the thread that listens first, by listener name. Null: this is that thread, which makes new ones
   * periodically.
   */
  readonly ticketKeys: Readonly<Record<string, Uint8Array>> | null;
  /** Called when there are new ones. */
  readonly onTicketKeys: (listener: string, keys: Buffer) => void;
}

const headerLimit = 16 * 1024;
const drainTime: Millis = 10_000;
// Tickets unused by then cost a full handshake. Today's key cannot decrypt recordings later.
const ticketKeyLifetime: Millis = 6 * 3_600_000;

/**
 * Opens all interfaces of a listener, with the endpoints of the APIs that it binds, or none.
 * @throws ListenError the certificate or key cannot be used, or an interface cannot be listened on
 */
export async function startListener(
  needs: ListenerServices,
  endpoints: Endpoints,
  options: ListenerOptions = {},
) {
  const { listener, material } = endpoints;
  checkTlsMaterial(listener, material);
  const { shared } = options;
  const ticketKeys = givenTicketKeys(listener, shared) ?? needs.random.bytes(48);
  const waiting = options.waiting ?? waitingBytes(needs, waitingSums());
  const started: RunningServer[] = [];
  try {
    for (const [at, bindPoints] of byInterface(listener.bindPoints).entries()) {
      const counts =
        shared === undefined ? sourceCounts() : sharedSourceCounts(shared.counted, `${listener.name} ${at}`);
      const settings = { ...options, counts, waiting };
      started.push(await startServer(needs, { endpoints, bindPoints, ticketKeys, options: settings }));
    }
  } catch (error) {
    await Promise.all(started.map((server) => server.close()));
    throw error;
  }
  let current = ticketKeys;
  let inUse = listener;
  const useTicketKeys = (keys: Buffer) => {
    current = keys;
    for (const { server } of started) server.setTicketKeys(keys);
  };
  const rotation = setInterval(() => {
    if (shared !== undefined && shared.ticketKeys !== null) return;
    useTicketKeys(needs.random.bytes(48));
    shared?.onTicketKeys(listener.name, current);
  }, ticketKeyLifetime);
  rotation.unref();
  return {
    /** The listener in use. */
    get listener() {
      return inUse;
    },
    /** As configured, with the real port where the system chose it. */
    bindPoints: started.flatMap((server) => server.bindPoints),
    /** The keys that currently seal the tickets of TLS sessions. */
    ticketKeys: (): Buffer => current,
    /** Uses other keys from now on. */
    useTicketKeys,
    /**
     * Prepares to answer by another configuration of the same listener. Its interfaces, APIs and connection limits stay.
     * Requests under way finish with the configuration they began with.
     * @returns puts it in use for all further requests; cannot fail
     * @throws ListenError when certificate or key cannot be used
     */
    async prepare(fresh: Endpoints): Promise<() => void> {
      checkTlsMaterial(fresh.listener, fresh.material);
      const context = secureContextOf(fresh.listener, fresh.material);
      const uses = await Promise.all(started.map((server) => server.prepare(fresh)));
      return () => {
        inUse = fresh.listener;
        for (const use of uses) use();
        for (const { server } of started) {
          server.setSecureContext(context);
          // Node drops the ticket keys when a context is replaced.
          server.setTicketKeys(current);
        }
      };
    },
    /** Accepts no more connections, finishes the requests under way, and closes the rest after ten seconds. */
    async close(): Promise<void> {
      clearInterval(rotation);
      await Promise.all(started.map((server) => server.close()));
    },
  };
}

function givenTicketKeys({ name }: Listener, shared: SharedInterfaces | undefined): Buffer | undefined {
  const given = shared?.ticketKeys?.[name];
  return given === undefined ? undefined : Buffer.from(given);
}

type RunningServer = Awaited<ReturnType<typeof startServer>>;

async function startServer(
  needs: ListenerServices,
  wanted: {
    endpoints: Endpoints;
    bindPoints: readonly [BindPoint, ...BindPoint[]];
    ticketKeys: Buffer;
    options: ListenerOptions & { counts: SourceCounts; waiting: WaitingBytes };
  },
) {
  const { endpoints, bindPoints, ticketKeys, options } = wanted;
  const { listener, material } = endpoints;
  const newReferenceId = referenceIds(needs.random);
  const services = { ...needs, newReferenceId, load: sourceLoad(needs) };
  let inUse = await openApplication(services, endpoints, bindPoints);
  const server = createServer(listener, {
    material,
    ticketKeys,
    ALPNCallback: chooseProtocol(() => inUse.scope.listener),
  });
  const handle = oneAtATime(needs, server, (request, response) => inUse.handle(request, response));
  server.on('request', (request, response) => {
    // The router knows the common methods. Any other is refused as one that no path has.
    if (!routedMethods.has(request.method ?? '')) request.method = 'TRACE';
    handle(request, response);
  });
  server.on('clientError', clientErrorHandler(services));

  const { shared, counts, waiting } = options;
  server.maxConnections = Math.ceil(mostConnections / (shared?.threads ?? 1));
  refuseConnect(server, services);
  server.on('secureConnection', (socket) => {
    endChallenge(socket);
    rememberHandshake(socket);
  });
  const { host, port } = bindPoints[0].interface;
  const perSource = options.connectionsPerSource ?? mostConnectionsPerSource;
  const connections = limitConnections(counts, server, perSource);
  waiting.watch(server, listener.writeTimeout);
  const isBalanced = listener.proxyProtocol.balancers.length > 0;
  const proxied = isBalanced ? readProxyHeaders(needs, server, listener) : null;

  try {
    if (shared?.ticketKeys === null) await requireFree(host, port);
    await listen(server, { host, port, reusePort: shared !== undefined });
  } catch (error) {
    waiting.release(server);
    await inUse.close();
    throw listenErrorOf(listener.name, { host, port }, error);
  }
  const { port: openPort } = server.address() as AddressInfo;
  const open = bindPoints.map((bindPoint) => withPort(bindPoint, openPort));
  inUse.serve(open);
  return {
    server,
    bindPoints: open,
    async prepare(fresh: Endpoints): Promise<() => void> {
      const next = await openApplication(services, fresh, bindPoints);
      next.serve(open);
      return () => {
        if (inUse.scope.isDraining) next.scope.isDraining = true;
        inUse = next;
      };
    },
    async close(): Promise<void> {
      inUse.scope.isDraining = true;
      const drained = drain(server, connections, options.drain ?? drainTime);
      proxied?.endPending();
      await drained;
      waiting.release(server);
      await inUse.close();
    },
  };
}

/** Endpoints on the framework. The server with the connections passes it the requests. */
interface Application {
  readonly handle: FastifyServerFactoryHandler;
  readonly scope: { -readonly [K in keyof ServerScope]: ServerScope[K] };
  /** Says which Host means which bind point. */
  serve(open: readonly BindPoint[]): void;
  close(): Promise<void>;
}

async function openApplication(
  needs: Omit<ServerServices, 'scope' | 'views'>,
  { listener, material, routes, views }: Endpoints,
  [first]: readonly [BindPoint, ...BindPoint[]],
): Promise<Application> {
  const openBindPoint = bindPointOpener(listener, material);
  const byHost = new Map<string, OpenBindPoint>();
  const scope: Application['scope'] = {
    listener,
    byHost,
    fallback: openBindPoint(first),
    applicationOrigins: needs.applicationOrigins,
    tracing: needs.tracing,
    isDraining: false,
  };
  const mount = { ...needs, views, scope };
  let handle: FastifyServerFactoryHandler | undefined;
  const app = Fastify({
    // It never listens: another configuration brings another application to the same connections.
    serverFactory(handler) {
      handle = handler;
      // This import would load another HTTP client of the runtime, 4 MB that every start would wait for.
      return process.getBuiltinModule('node:http').createServer();
    },
    genReqId: needs.newReferenceId,
    // Of paths that do not exist.
    bodyLimit,
    // A HEAD request must not do what a GET does. Endpoints list it where it is harmless.
    exposeHeadRoutes: false,
    // Parsed on demand from the address itself. The framework's parser would drop repeated parameters.
    routerOptions: { querystringParser: () => noQuery, maxParamLength: longestParameter },
    schemaController: noSchemas,
    frameworkErrors: (error, request, reply) =>
      failureHandler(mount, { format: 'html-or-edge', api: 'none' })(error, request, reply),
  }) as unknown as FastifyInstance;
  mountRoutes(
    app,
    mount,
    routes.filter((route) => servesApi(listener, route.api)),
  );
  await app.ready();
  return {
    handle: (request, response) => handle?.(request, response),
    scope,
    serve(open) {
      const [fallback] = open.map((bindPoint) => nameHost(byHost, openBindPoint(bindPoint)));
      scope.fallback = fallback ?? scope.fallback;
    },
    close: async () => void (await app.close()),
  };
}

// zod validates bodies. The framework would load its own schema compilers, more than a hundred modules that every start
// would wait for.
const noSchemas = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } };

function noCompiler(): never {
  throw new Error('endpoints have no schemas of the framework');
}

const noQuery = Object.freeze(Object.create(null)) as Record<string, unknown>;

function createServer(
  listener: Listener,
  {
    material,
    ticketKeys,
    ALPNCallback,
  }: { material: TlsMaterial; ticketKeys: Buffer } & Pick<TlsOptions, 'ALPNCallback'>,
): Server {
  const { idleTimeout: idle, readTimeout: read } = listener;
  const server = createHttpsServer({
    ...tlsOptionsOf(listener, material, ticketKeys),
    ALPNCallback,
    maxHeaderSize: headerLimit,
    headersTimeout: read,
    requestTimeout: read * 1.5,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(1000, read / 4),
    insecureHTTPParser: false,
    // Refused with a reference id when the request begins.
    requireHostHeader: false,
  });
  // Node would answer by itself, past everything that bounds a connection. The endpoint says whether a body may come. RFC
  // 9110 section 10.1.1 allows to ignore other expectations.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response));
  // Thousands of short lines take ten times their bytes in memory. Node refuses what is beyond the limit or, in older
  // versions, drops it silently: so one more than requestBeginner takes, which refuses then.
  server.maxHeadersCount = mostHeaders + 1;
  return server;
}

const routedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Without this check, a shareable interface could be shared with other programs of the same user. */
async function requireFree(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createTcpServer();
  await listen(probe, { host, port, reusePort: false });
  await new Promise((resolve) => probe.close(resolve));
}

function listen(server: NetServer, where: { host: string; port: number; reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: 1024 }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function drain(server: Server, connections: { destroyAll(): void }, longest: Millis): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const end = setTimeout(() => connections.destroyAll(), longest);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(end);
      resolve();
    });
    server.closeIdleConnections();
  });
}
