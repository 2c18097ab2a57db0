// A running controller: the services behind open listeners. Used by the commands that run one and by the tests,
// so that both are the same thing.

import { hostname } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import type { BindPoint, Config, Listener } from './config/config.ts';
import { apiAddressesOf } from './http/edge/api-addresses.ts';
import type { RunningListener } from './http/server/listener.ts';
import { openListeners, readOverlayPki, reloadCertificates } from './listeners.ts';
import { readEnrollmentIdentity } from './overlay-pki.ts';
import { type ForOthers, otherThreads, type RunningThreads, type StartThread } from './request-threads.ts';
import { type Foundations, openServices, type Services } from './services.ts';
import { requestThreads } from './thread-count.ts';

/** What a controller is started with. */
export interface ControllerFoundations extends Omit<Foundations, 'first' | 'others'> {
  /** Starts the threads beside the first one. */
  readonly startThread?: StartThread;
}

export interface RunningController {
  readonly services: Services;
  /** With real ports where the configuration left them to the system. */
  readonly bindPoints: readonly BindPoint[];
  /** Of the bind points that serve the OpenID provider. */
  readonly issuers: readonly string[];
  /** Reads the certificate files again, those of the overlay's PKI too; what cannot be used is refused and the old certificates stay. */
  reloadCertificates(): Promise<void>;
  /** Takes no more requests, finishes those under way, stops background work. The store stays open. */
  stop(): Promise<void>;
}

/**
 * Starts a controller; resolves when every listener accepts connections.
 * @throws PkiFileError a file of the overlay's PKI cannot be used
 * @throws ListenError an interface or an identity cannot be used; nothing is left open then
 */
export async function startController(given: ControllerFoundations): Promise<RunningController> {
  const { startThread, ...foundations } = given;
  const { config, random, log } = foundations;
  const threads = requestThreads(config);
  const others = threads > 1 ? otherThreads({ count: threads - 1, log, random, startThread }) : undefined;
  const services = await openServices(
    others === undefined ? foundations : { ...foundations, others },
    readOverlayPki(foundations),
  );
  let started: readonly RunningListener[] = [];
  const stop = async () => {
    await Promise.all([...started.map((listener) => listener.close()), others?.stop()]);
    await services.stop();
  };
  try {
    started = await openListeners(foundations, services, others?.shared);
    const opened = await announce(foundations, services, started);
    if (others !== undefined) {
      tellOfCommits(foundations.store, others);
      await others.start(forOthers(foundations, services, opened));
    }
    const { address, bindPoints } = opened;
    return {
      services,
      bindPoints,
      issuers: issuersOf(asOpened(config, opened).listeners),
      async reloadCertificates() {
        reloadCertificates(foundations, services, { listeners: started, address });
        await others?.reloadCertificates();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Tells whom it concerns what is open now: the issuers, enrollment JWTs, the other nodes. */
async function announce(
  { config, random }: Foundations,
  services: Services,
  started: readonly RunningListener[],
): Promise<Opened> {
  const bindPoints = started.flatMap((listener) => listener.bindPoints);
  for (const point of bindPoints) services.issuers.add(point.issuer);
  const address = openAddress(config.edge.api.address, bindPoints);
  services.enrollmentSigner.replaceIdentity(readEnrollmentIdentity(config, address));
  const name = nodeName(config, bindPoints);
  await services.node.start({
    id: random.id(),
    name,
    address: mainAddress(config, bindPoints),
    apiAddresses: started.flatMap(({ listener, bindPoints: open }) => apiAddressesOf(listener, open)),
    version: packageJson.version,
  });
  return { address, bindPoints, nodeName: name, listeners: started };
}

interface Opened {
  /** The main address. */
  readonly address: string;
  readonly bindPoints: readonly BindPoint[];
  readonly nodeName: string;
  readonly listeners: readonly RunningListener[];
}

/** The configuration with the ports that the system chose, and with what was opened of it alone. */
function asOpened(config: Config, { address, listeners }: Opened): Config {
  return {
    ...config,
    listeners: listeners.map(({ listener, bindPoints }) => ({ ...listener, bindPoints })),
    edge: { ...config.edge, api: { ...config.edge.api, address } },
  };
}

/** What this thread commits is acknowledged when no other one has in memory what that has made untrue. */
function tellOfCommits(store: Foundations['store'], others: Pick<RunningThreads, 'catchUp'>): void {
  store.changes.onChange(async (notice) => {
    if (notice === 'own') await others.catchUp();
  });
}

/** What the first thread does for the others. */
function forOthers(
  { config, masterKey, trustedRoots = [], hashPool, log, store }: Foundations,
  services: Services,
  opened: Opened,
): ForOthers {
  const { listeners, nodeName } = opened;
  return {
    data: () => ({
      config: asOpened(config, opened),
      nodeName,
      masterKey,
      trustedRoots,
      hashCost: hashPool.cost,
      ticketKeys: Object.fromEntries(listeners.map((each) => [each.listener.name, each.ticketKeys()])),
    }),
    isCluster: () => services.node.isCluster,
    catchUp: services.view.feed.catchUp,
    answers: {
      log: ({ level, message, fields }) => log[level](message, fields),
      logWritten: async () => (await log.written?.()) ?? true,
      strangersLine: services.mount.strangersLog.write,
      keepAttempt: services.attempts.keep,
      flushAttempts: services.attempts.flush,
      hash: (password) => hashPool.hash(password),
      verify: ({ phc, password }) => hashPool.verify(phc, password),
      verifyNobody: (password) => hashPool.verifyNobody(password),
      letWrite: (port) => store.letWrite(port),
      check: async (id) => services.checks.find((check) => check.id === id)?.check(),
      readMetrics: services.readMetrics,
      devicePoll: async ({ id, now }) => services.devicePolls(id, now),
    },
  };
}

/** The issuers of the listeners that serve the OpenID provider, each once. */
export function issuersOf(listeners: readonly Pick<Listener, 'apis' | 'bindPoints'>[]): readonly string[] {
  const serving = listeners.filter(({ apis }) => apis.some(({ binding }) => binding === 'edge-oidc'));
  return [...new Set(serving.flatMap(({ bindPoints }) => bindPoints.map(({ issuer }) => issuer)))];
}

/** The main address with the port that the system chose, where the configuration leaves that open. */
function openAddress(address: string, bindPoints: readonly BindPoint[]): string {
  const [host, port] = address.split(/:(?=\d+$)/);
  if (port !== '0') return address;
  return bindPoints.find((point) => point.address.startsWith(`${host}:`))?.address ?? address;
}

/** On one machine several nodes differ in the port. */
function nodeName({ node }: Config, bindPoints: readonly BindPoint[]): string {
  return node.name ?? `${hostname()}:${bindPoints[0]?.interface.port ?? 0}`;
}

/** As configured, unless the system was to choose the port. */
function mainAddress({ edge }: Config, bindPoints: readonly BindPoint[]): string {
  return edge.api.address.endsWith(':0') ? (bindPoints[0]?.address ?? '') : edge.api.address;
}
