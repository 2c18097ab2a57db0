// A running controller: the services behind open listeners. The commands that run one and the tests use the same code.

import packageJson from '../../package.json' with { type: 'json' };
import type { BindPoint, Config, Listener } from '../config/config.ts';
import { type SettingChange, settingChanges, takeOver } from '../config/reload.ts';
import { apiAddressesOf } from '../http/edge/version.ts';
import { runChecks } from '../http/server/health.ts';
import type { RunningListener } from '../http/server/listener.ts';
import type { Foundations } from './foundations.ts';
import { openListeners, prepareConfig } from './listeners.ts';
import { nodeName } from './observation.ts';
import { readEnrollmentIdentity } from './overlay-pki.ts';
import {
  otherThreads,
  type RunningThreads,
  type StartThread,
  type ThreadSupport,
} from './request-threads.ts';
import { openServices, type Services } from './services.ts';
import { requestThreads } from './thread-count.ts';

/** The parts that a controller needs to start. */
export interface ControllerFoundations extends Omit<Foundations, 'first' | 'others'> {
  /** Starts the threads beside the first one. */
  readonly startThread?: StartThread;
}

export type RunningController = Awaited<ReturnType<typeof startController>>;

/** The outcome of a reload. */
export interface Reloaded {
  /** In use from now on. */
  readonly changed: readonly SettingChange[];
  /** In use after the next start. */
  readonly needsRestart: readonly SettingChange[];
}

/** The configuration is valid, but cannot be applied now. */
export class ReloadRefused extends Error {
  override readonly name = 'ReloadRefused';
}

/**
 * Starts a controller; resolves when every listener accepts connections.
 * @throws PkiFileError a file of the overlay's PKI cannot be used
 * @throws ListenError an interface or an identity cannot be used; nothing is left open then
 */
export async function startController({ startThread, ...foundations }: ControllerFoundations) {
  const { config, random, log } = foundations;
  const threads = requestThreads(config);
  const others = threads > 1 ? otherThreads({ count: threads - 1, log, random, startThread }) : undefined;
  const services = await openServices(others === undefined ? foundations : { ...foundations, others });
  let started: readonly RunningListener[] = [];
  const configuration = { inUse: config };
  let isStopping = false;
  let lastReload: Promise<unknown> = Promise.resolve();
  const stop = async () => {
    isStopping = true;
    await lastReload;
    // Other services are slow at the same time as clients, so that the process ends within the time that it is given.
    const requests = [...started.map((listener) => listener.close()), others?.stop()];
    await Promise.all([...requests, services.deliverer?.stop()]);
    await services.stop();
  };
  try {
    started = await openListeners(foundations, services, others?.shared);
    const opened = await announce(foundations, services, started);
    if (others !== undefined) {
      announceCommits(foundations.store, others);
      await others.start(support(foundations, services, { opened, configuration }));
    }
    const { bindPoints } = opened;
    return {
      services,
      /** With the real ports where the system chose them. */
      bindPoints,
      /** The issuers of the bind points that serve the OpenID provider. */
      issuers: issuersOf(asOpened(config, opened).listeners),
      /** The configuration in use. */
      get config(): Config {
        return configuration.inUse;
      },
      /**
       * Reads the files again that the configuration names (certificates, the overlay's PKI, the logo), and applies those
       * changes of another configuration that need no restart, in all threads together. One reload at a time; others wait.
       * @param fresh the configuration in use unless given
       * @throws ConfigError, ListenError, PkiFileError or ReloadRefused: nothing has changed then
       */
      reload(fresh?: Config): Promise<Reloaded> {
        const refuseWhenStopping = () => {
          if (isStopping) throw new ReloadRefused('The controller is stopping.');
        };
        const needs = { foundations, services, others, opened, configuration, refuseWhenStopping };
        const reloaded = lastReload.then(() => reload(needs, fresh));
        lastReload = reloaded.catch(() => undefined);
        return reloaded;
      },
      /** The answer of `/health-checks/ready`, whether or not a listener serves it. */
      health: () => runChecks(foundations, services.checks),
      /** Accepts no more requests, finishes those under way, stops background work. The store stays open. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ReloadNeeds {
  readonly foundations: Foundations;
  readonly services: Services;
  readonly others: RunningThreads | undefined;
  readonly opened: Opened;
  readonly configuration: { inUse: Config };
  readonly refuseWhenStopping: () => void;
}

async function reload(needs: ReloadNeeds, fresh = needs.configuration.inUse): Promise<Reloaded> {
  const { foundations, services, others, opened, configuration, refuseWhenStopping } = needs;
  refuseWhenStopping();
  const former = configuration.inUse;
  const config = takeOver(former, fresh);
  const changed = settingChanges(former, config);
  // The first thread goes first: it reports what cannot be used in its own words.
  const use = await prepareConfig(foundations, services, { ...opened, config });
  const useInThreads = await others?.prepareConfig(asOpened(config, opened));
  for (const change of changed) services.audit.record({ event: 'config.changed', ...change }, null);
  if (!(await services.audit.written()))
    throw new ReloadRefused(
      'The audit trail cannot be written, so nothing is changed: make room for the log, or let its pipe be read.',
    );
  refuseWhenStopping();
  configuration.inUse = config;
  use();
  await useInThreads?.();
  return { changed, needsRestart: settingChanges(config, fresh) };
}

/** Announces the open addresses to the issuers, to enrollment JWTs and to the other nodes. */
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

/** The configuration with the ports that the system chose, and only the listeners that were opened. */
function asOpened(config: Config, { address, listeners }: Opened): Config {
  const bindPointsOf = new Map(listeners.map(({ listener, bindPoints }) => [listener.name, bindPoints]));
  return {
    ...config,
    listeners: config.listeners.flatMap((listener) => {
      const bindPoints = bindPointsOf.get(listener.name);
      return bindPoints === undefined ? [] : [{ ...listener, bindPoints }];
    }),
    edge: { ...config.edge, api: { ...config.edge.api, address } },
  };
}

/** Acknowledges a commit of this thread only when no other thread still remembers anything that it outdated. */
function announceCommits(store: Foundations['store'], others: Pick<RunningThreads, 'catchUp'>): void {
  store.changes.onChange(async (notice) => {
    if (notice === 'own') await others.catchUp();
  });
}

/** The services of the first thread for the other threads. */
function support(
  { vault, trustedRoots = [], hashPool, log, store }: Foundations,
  services: Services,
  { opened, configuration }: Pick<ReloadNeeds, 'opened' | 'configuration'>,
): ThreadSupport {
  const { listeners, nodeName } = opened;
  return {
    data: () => ({
      config: asOpened(configuration.inUse, opened),
      nodeName,
      vaultSecret: vault.sealingKey().secret,
      trustedRoots,
      hashCost: hashPool.cost,
      usedProofs: { startedAt: services.usedProofs.startedAt, epoch: services.usedProofs.epoch },
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
      hash: ({ password, source }, gone) => hashPool.hash(password, { source, gone }),
      verify: ({ phc, password, source }, gone) => hashPool.verify(phc, password, { source, gone }),
      letWrite: (port) => store.letWrite(port),
      check: async (id) => services.checks.find((check) => check.id === id)?.check(),
      readMetrics: services.readMetrics,
      devicePoll: async ({ id, now }) => services.devicePolls(id, now),
      useProof: async ({ proof, now }) => services.usedProofs.use(proof, now),
      keySet: services.keySet,
      async revocationLists(caId) {
        return (await services.keeper?.listsOf(caId)) ?? [];
      },
      async certificateStatus(question) {
        const nothing = { lists: [], answer: null, problem: 'the revocation keeper is not running' };
        return (await services.keeper?.obtain(question)) ?? nothing;
      },
    },
  };
}

/** The issuers of the listeners that serve the OpenID provider, without duplicates. */
export function issuersOf(listeners: readonly Pick<Listener, 'apis' | 'bindPoints'>[]): readonly string[] {
  const serving = listeners.filter(({ apis }) => apis.some(({ binding }) => binding === 'edge-oidc'));
  return [...new Set(serving.flatMap(({ bindPoints }) => bindPoints.map(({ issuer }) => issuer)))];
}

/** The main address, with the port that the system chose if the configuration leaves it open. */
function openAddress(address: string, bindPoints: readonly BindPoint[]): string {
  const [host, port] = address.split(/:(?=\d+$)/);
  if (port !== '0') return address;
  return bindPoints.find((point) => point.address.startsWith(`${host}:`))?.address ?? address;
}

/** As configured, unless the system chooses the port. */
function mainAddress({ edge }: Config, bindPoints: readonly BindPoint[]): string {
  return edge.api.address.endsWith(':0') ? (bindPoints[0]?.address ?? '') : edge.api.address;
}
