// The one place where everything is wired: configuration, store, keys and clocks become the services that endpoints and
// commands use. Nothing else constructs them.

import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import {
  type ClientCertificateIssuer,
  clientCertificateIssuer,
  type SigningAuthority,
} from '../certificates/client-certificate-issuer.ts';
import type { BindPoint, Config } from '../config/config.ts';
import { parseRedirectUri } from '../config/redirect-uris.ts';
import {
  type AuthorityList,
  type PublishedAuthorities,
  publishedAuthorities,
} from '../enrollment/published-authorities.ts';
import type { RunningAttemptLog } from '../explain/attempt-log.ts';
import { answerTimes } from '../explain/counts.ts';
import { originsOfApplications } from '../http/request/cors.ts';
import type { HealthCheck } from '../http/server/health.ts';
import { type MetricsText, metricsReader } from '../http/server/metrics.ts';
import type { AnswerInspector, MountNeeds } from '../http/server/mount.ts';
import { providerDirectory } from '../login/external-jwt/provider-endpoints.ts';
import { type PasswordHasher, passwordHasher } from '../login/password/password.ts';
import type { KeptAuditTrail } from '../model/audit-event.ts';
import { algorithmsInUse } from '../model/signing-key.ts';
import { clientRegistry, tokenUses } from '../oidc/clients.ts';
import { callbackSealer } from '../oidc/flow/callback.ts';
import { exchangePlaces } from '../oidc/flow/exchange-limit.ts';
import { authRequestSealer } from '../oidc/flow/open-auth-request.ts';
import { signerTestSealers } from '../oidc/flow/signer-test.ts';
import type { DevicePolls } from '../oidc/grants/grant.ts';
import { devicePolls } from '../oidc/grants/grant-device-code.ts';
import type { Clock } from '../platform/clock.ts';
import { watchEventLoopDelay } from '../platform/event-loop-delay.ts';
import { type FetchingJwksCache, jwksCache, jwksCacheBeside } from '../platform/jwk/jwks-cache.ts';
import type { Logger } from '../platform/log/logger.ts';
import { outboundClient } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import type { HashPool } from '../platform/secrets/hash-pool.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { dailySealer } from '../platform/secrets/sealed-box.ts';
import type { TrustAnchor } from '../platform/x509/path-validation.ts';
import { requestAuthenticator } from '../sessions/authenticate-request.ts';
import { denySet } from '../sessions/deny-set.ts';
import { type IssuerView, openIssuerView } from '../sessions/issuer-view.ts';
import { secondaryTokens } from '../sessions/secondary-tokens.ts';
import { openSessionView, type SessionView } from '../sessions/session-view.ts';
import { ztSessions } from '../sessions/zt-session.ts';
import type { Store } from '../store/contracts/store.ts';
import { type ClockWatch, clockWatch } from '../tasks/clock-watch.ts';
import { besideHeartbeat, type NodeHeartbeat, nodeHeartbeat } from '../tasks/node-heartbeat.ts';
import { liveTelemetry } from '../telemetry/live-telemetry.ts';
import { tracedFetches } from '../telemetry/traced-fetches.ts';
import { tracedStore } from '../telemetry/traced-store.ts';
import { accessTokenVerifier, clockSkew } from '../tokens/access-token.ts';
import {
  type EnrollmentIdentity,
  type EnrollmentSigner,
  enrollmentSigner,
} from '../tokens/enrollment-jwt.ts';
import { ensureSigningKeys, type KeyRing, longestSignedLifetime, openKeyRing } from '../tokens/key-ring.ts';
import { openServerSecrets } from '../tokens/server-secrets.ts';
import { startBackgroundWork } from './background-work.ts';
import { type EndpointNeeds, type Endpoints, endpointsBy } from './endpoints.ts';
import { openRecords } from './records.ts';
import { sumOfThreads, type ThreadCounts } from './thread-counts.ts';
import { type FirstThread, noOthers, type OtherThreads } from './thread-roles.ts';

/** What a controller gets from outside. */
export interface Foundations {
  readonly config: Config;
  readonly store: Store;
  /** The key-encryption key, 32 bytes. */
  readonly masterKey: Buffer;
  /** Seals under that key, and opens what was sealed under the previous or the next one. */
  readonly vault: KeyVault;
  readonly hashPool: HashPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Roots (PEM) that are trusted when fetching signers' keys, in addition to those of the machine. */
  readonly trustedRoots?: readonly string[];
  /** Called with every answer of an endpoint. */
  readonly inspectAnswer?: AnswerInspector;
  /** In the first thread of a controller that has several. */
  readonly others?: OtherThreads;
  /** In each of the others: what the first one does for all. */
  readonly first?: FirstThread;
}

export interface Services extends Endpoints {
  readonly ring: KeyRing;
  readonly view: SessionView;
  readonly hasher: PasswordHasher;
  readonly audit: KeptAuditTrail;
  readonly attempts: Pick<RunningAttemptLog, 'begin' | 'keep' | 'flush'>;
  /** What this thread has counted. */
  counts(): ThreadCounts;
  /** For the whole controller. */
  readonly checks: readonly HealthCheck[];
  readonly readMetrics: () => Promise<MetricsText>;
  readonly devicePolls: DevicePolls;
  /** For the other threads; only the first one fetches. */
  readonly keySet: FetchingJwksCache['answer'];
  readonly certificateIssuer: ClientCertificateIssuer;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly publishedAuthorities: PublishedAuthorities;
  /** Started by whoever knows the addresses, which are known once the listeners are open. */
  readonly node: Pick<NodeHeartbeat, 'start' | 'isCluster'>;
  readonly mount: Omit<MountNeeds, 'views'>;
  /**
   * Prepares everything that follows from another configuration, the result of `takeOver` of config/reload.ts.
   * @throws ConfigError what it names cannot be used
   */
  prepare(config: Config): Promise<PreparedServices>;
  /** Tells the metrics the outcome of a reload. */
  noteReload(outcome: { readonly isRefused: boolean }): void;
  /**
   * Issuers whose tokens the Edge APIs accept: those of the configuration and of the other nodes. Ports that the system
   * chose are added.
   */
  readonly issuers: Pick<IssuerView, 'add'>;
  /** Makes the next signing key when it is due; otherwise a task does. */
  rotateKeysWhenDue(): Promise<void>;
  /** Replaces the authorities of the overlay's PKI, from the next login on. */
  replaceOwnAuthorities(anchors: readonly TrustAnchor[]): void;
  /** Stops background work. The caller closes the store and the hash pool. */
  stop(): Promise<void>;
}

/** Several nodes on one machine differ in the port. @param bindPoints as configured, or with the real ports */
export function nodeName(
  { node, listeners }: Pick<Config, 'node' | 'listeners'>,
  bindPoints: readonly BindPoint[] = listeners.flatMap((listener) => listener.bindPoints),
): string {
  return node.name ?? `${hostname()}:${bindPoints[0]?.interface.port ?? 0}`;
}

export interface PreparedServices extends Endpoints {
  /** Puts the configuration in use. It cannot fail. */
  use(): void;
}

/** The overlay's own PKI: the authorities that it trusts, and what signs client certificates. */
export interface OverlayPki {
  readonly ownAuthorities: readonly TrustAnchor[];
  readonly signing: SigningAuthority | null;
  /** The authorities that clients are told to trust, by the name of the listener. */
  readonly published: ReadonlyMap<string, AuthorityList>;
  /** Signs enrollment JWTs. */
  readonly enrollmentIdentity: EnrollmentIdentity;
}

/**
 * Resolves when the service may take requests: the keys exist and the deny set is complete. Starts the parts in the
 * order in which they need one another; background work starts last, and ends first.
 */
export async function openServices(
  foundations: Foundations,
  { ownAuthorities, signing, published, enrollmentIdentity }: OverlayPki,
): Promise<Services> {
  const { config, clock, random, log, first, others = noOthers } = foundations;
  /** A reload replaces this as a whole; whatever outlives a reload asks here. */
  let inUse = config;
  const { oidc } = config.edge;
  const threads = first?.threads ?? others.threads.answering;
  const startedAt = clock.now() / 1000 - process.uptime();

  // All the others write to these: traces, store, records.
  const telemetry = liveTelemetry({
    clock,
    random,
    log: first === undefined ? log : null,
    threads,
    service: { version: packageJson.version, instance: nodeName(config) },
    metrics: first === undefined ? { since: startedAt * 1000, read: () => metrics.families() } : null,
  });
  const { tracing } = telemetry;
  const store = tracedStore(
    foundations.store,
    tracing,
    config.db.engine === 'sqlite' ? 'sqlite' : 'postgresql',
  );
  const records = openRecords({ store, clock, random, log, first, others }, () => inUse.edge);
  const { audit, attempts, strangersLog } = records;

  // Signing keys: made here if there are none, unless the clock is wrong.
  const { vault } = foundations;
  const keyNeeds = { keys: store.keys, vault, clock };
  const ring = await openKeyRing(keyNeeds);
  const algorithms = algorithmsInUse(oidc.idTokenSigningAlg);
  const rotateKeysWhenDue = async () => {
    const tokenLifetime = longestSignedLifetime(inUse.edge.oidc);
    for (const key of await ensureSigningKeys({ ...keyNeeds, ring }, algorithms, tokenLifetime)) {
      audit.record({ event: 'key.rotated', kid: key.kid, alg: key.alg }, null);
    }
  };
  const watch = clockWatch({ store, clock, log, onSetRight: () => view.feed.startOver() });
  await watch.compare();
  if (first === undefined && (!watch.isWrong || ring.list().length === 0)) await rotateKeysWhenDue();

  // Who calls: our issuers and clients, access tokens, the keys of other providers, and the session view, which loads
  // ended sessions before anybody is let in.
  const issuers = await openIssuerView(
    store,
    config.listeners.flatMap((listener) => listener.bindPoints.map((point) => point.issuer)),
  );
  // The view has the registered ones. It is there before anybody asks.
  const clients = clientRegistry(oidc.compatibility.clientIds, {
    find: (id) => view.clients.find(id),
    all: () => view.clients.all(),
  });
  const revoked = denySet();
  const lifetimes = { accessToken: oidc.accessTokenDuration };
  const accessTokens = accessTokenVerifier(ring, {
    issuers: issuers.all,
    lifetimes,
    revoked,
    useOf: tokenUses(clients),
    threads,
  });
  const { trustedRoots = [] } = foundations;
  const openFetch = ({ edge }: Config) => outboundClient(edge.externalJwtSigners.jwksFetch, { trustedRoots });
  let fetch = openFetch(config);
  const jwksFetch: ReturnType<typeof outboundClient> = tracedFetches(
    {
      get: (...request) => fetch.get(...request),
      postForm: (...request) => fetch.postForm(...request),
    },
    tracing,
  );
  const fetched = jwksCache({ client: jwksFetch, clock, logger: log });
  const jwks = first === undefined ? fetched : jwksCacheBeside({ clock, ask: first.keySet });
  // A node whose clock is ahead may date a token after the end of its session.
  const accessTokenEndOf = (of: Config) => of.edge.oidc.accessTokenDuration + clockSkew;
  /** Under any configuration that was in use: tokens with a longer life may still exist. */
  let accessTokenEnd = accessTokenEndOf(config);
  const view = await openSessionView({
    store,
    clock,
    jwks,
    ownAuthorities,
    revoked,
    threads,
    tokenLifetime: accessTokenEnd,
    sessionTimeout: () => inUse.edge.api.sessionTimeout,
    log,
    async onSigningKeys() {
      await ring.reload();
      accessTokens.forget();
    },
    onNodes: issuers.reload,
    readRedirectUri: parseRedirectUri,
  });

  // Secrets and services for logins and enrollments.
  const { tagKey, authRequestRoot, recoveryKey, unknownNameKey } = await openServerSecrets({
    keys: store.keys,
    vault,
    random,
  });
  const hasher = passwordHasher(foundations.hashPool);
  const certificateIssuer = clientCertificateIssuer({ clock }, signing);
  const enrollment = {
    certificateIssuer,
    enrollmentSigner: enrollmentSigner(enrollmentIdentity),
    publishedAuthorities: publishedAuthorities(published),
  };

  // What operators see: the other nodes, health, metrics.
  const heartbeat = nodeHeartbeat({ store, clock, vault, clockWatch: watch, log });
  const node =
    first === undefined ? heartbeat : besideHeartbeat({ clockWatch: watch, isCluster: first.isCluster, log });
  const checks =
    first?.checks ?? healthChecks({ store, feed: view.feed, heartbeat, clockWatch: watch, others });
  const answers = answerTimes();
  const eventLoop = watchEventLoopDelay();
  const counts = (): ThreadCounts => ({
    ...records.counts(),
    answers: answers.list(),
    eventLoopDelay: eventLoop.p99(),
    isBehind: view.feed.isBehind,
    telemetry: telemetry.counts(),
  });
  const lastReload = { isRefused: false };
  const metrics = metricsReader({
    version: packageJson.version,
    startedAt,
    threads: others.threads,
    gather: others.gather,
    counts: () => sumOfThreads([counts(), ...others.counts()]),
    hashPool: foundations.hashPool,
    endedSessions: view.ended,
    decisionRecords: records,
    clockWatch: watch,
    lastReload,
  });
  const readMetrics = first?.readMetrics ?? metrics.text;

  // The endpoints, and what they keep over reloads: a reload must not disturb requests under way.
  const sessionCertificates = {
    certificateIssuer,
    // SPIFFE allows letters, digits, dots and dashes.
    trustDomain: new URL(`https://${config.edge.api.address}`).hostname.replace(/[^a-z0-9.-]/g, '-'),
  };
  const secondary = secondaryTokens({ clock, jwks, signers: view.signers }, threads);
  const authenticate = requestAuthenticator({
    clockWatch: watch,
    accessTokens,
    view,
    secondary,
    clock,
    ztSessions: ztSessions({ ...view, secondary, clock, tagKey }),
  });
  const polls = first?.devicePolls ?? devicePolls();
  const endpointNeeds: EndpointNeeds = {
    providers: providerDirectory({ client: jwksFetch, clock }),
    poster: jwksFetch,
    exchanges: exchangePlaces(threads),
    providerStates: dailySealer(authRequestRoot, 'provider-login'),
    signerTests: signerTestSealers(authRequestRoot),
    sealer: authRequestSealer(authRequestRoot),
    callbacks: callbackSealer(authRequestRoot),
    authenticate,
    ...sessionCertificates,
    ...enrollment,
    node,
    store,
    clock,
    random,
    log,
    audit,
    hasher,
    ring,
    accessTokens,
    attempts,
    jwks,
    outbound: jwksFetch,
    view,
    ownSessions: view.ownSessions,
    signers: view.signers,
    authorities: view.authorities,
    issuers: issuers.all,
    vault,
    recoveryKey,
    unknownNameKey,
    tagKey,
    clients,
    devicePolls: polls,
    checks,
    readMetrics,
  };
  const endpointsOf = (of: Config) => endpointsBy(of, endpointNeeds, accessTokenEnd);
  let endpoints = endpointsOf(config);
  (await telemetry.prepare(config.telemetry))();

  const stopWork = startBackgroundWork({
    isFirst: first === undefined,
    store,
    clock,
    log,
    clockWatch: watch,
    view,
    revoked,
    rotateKeysWhenDue,
    settings: () => ({ ...inUse.edge, accessTokenEnd }),
  });
  return {
    ring,
    view,
    hasher,
    audit,
    attempts,
    counts,
    checks,
    readMetrics,
    devicePolls: polls,
    keySet: fetched.answer,
    node,
    certificateIssuer,
    enrollmentSigner: enrollment.enrollmentSigner,
    publishedAuthorities: enrollment.publishedAuthorities,
    get routes() {
      return endpoints.routes;
    },
    get views() {
      return endpoints.views;
    },
    async prepare(fresh) {
      // Before tokens may live longer, everything that has ended within the longer life must be known, and what is
      // revoked has to stay so for that long. Harmless if the configuration is refused in the end.
      accessTokenEnd = Math.max(accessTokenEnd, accessTokenEndOf(fresh));
      await view.rememberEnded(accessTokenEnd);
      const prepared = endpointsOf(fresh);
      const useTelemetry = await telemetry.prepare(fresh.telemetry);
      return {
        ...prepared,
        use() {
          const [former, current] = [inUse, fresh].map(({ edge }) => JSON.stringify(edge.externalJwtSigners));
          inUse = fresh;
          lifetimes.accessToken = fresh.edge.oidc.accessTokenDuration;
          endpoints = prepared;
          useTelemetry();
          if (former === current) return;
          fetch = openFetch(fresh);
          // Keys of a server that may no longer be asked are no longer used.
          jwks.forgetAll();
        },
      };
    },
    noteReload({ isRefused }) {
      lastReload.isRefused = isRefused;
    },
    issuers,
    rotateKeysWhenDue,
    replaceOwnAuthorities: view.authorities.replaceOwn,
    mount: {
      applicationOrigins: originsOfApplications(view.clients.all),
      clock,
      log,
      audit,
      strangersLog,
      tracing,
      onAnswer: answers.observe,
      ...(foundations.inspectAnswer === undefined ? {} : { inspectAnswer: foundations.inspectAnswer }),
      clockWatch: watch,
      feed: view.feed,
      authenticate,
    },
    async stop() {
      await stopWork();
      await node.stop();
      await view.legacy.flush();
      await Promise.all([attempts.flush(), audit.kept()]);
      view.feed.stop();
      await telemetry.stop();
      eventLoop.stop();
    },
  };
}

/** The checks of readiness. */
function healthChecks(needs: {
  readonly store: Pick<Store, 'changes'>;
  readonly feed: SessionView['feed'];
  readonly heartbeat: Pick<NodeHeartbeat, 'check'>;
  readonly clockWatch: ClockWatch;
  readonly others: Pick<OtherThreads, 'beFresh'>;
}): readonly HealthCheck[] {
  const { store, feed, heartbeat, clockWatch, others } = needs;
  return [
    { id: 'store.read', check: async () => void (await store.changes.latest()) },
    { id: 'store.changes', check: async () => void (await Promise.all([feed.beFresh(), others.beFresh()])) },
    { id: 'store.write', check: heartbeat.check },
    {
      id: 'store.clock',
      async check() {
        if (clockWatch.isWrong) throw clockWatch.refusal();
      },
    },
  ];
}
