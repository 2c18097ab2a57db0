// The one place where everything is wired: configuration, store, keys and clocks become the services that endpoints and
// commands use. Nothing else constructs them. Each part has a file of its own.

import packageJson from '../../package.json' with { type: 'json' };
import { clientCertificateIssuer } from '../certificates/client-certificate-issuer.ts';
import type { Config } from '../config/config.ts';
import { resetSender } from '../enrollment/ask-reset.ts';
import { newcomers } from '../enrollment/new-identity.ts';
import { publishedAuthorities } from '../enrollment/published-authorities.ts';
import { eventSender } from '../events/event-sender.ts';
import { inviteUrl } from '../http/documents/invite-path.ts';
import { originsOfApplications } from '../http/request/cors.ts';
import type { ListenerServices } from '../http/server/mount.ts';
import { providerDirectory } from '../login/external-jwt/provider-endpoints.ts';
import { passwordHasher } from '../login/password/password.ts';
import { mailSender } from '../mail/send-mail.ts';
import { logoutSender } from '../oidc/backchannel-logout.ts';
import { callbackSealer } from '../oidc/flow/callback.ts';
import { exchangePlaces } from '../oidc/flow/exchange-limit.ts';
import { authRequestSealer } from '../oidc/flow/open-auth-request.ts';
import { signerTestSealers } from '../oidc/flow/signer-test.ts';
import { devicePolls } from '../oidc/grants/grant-device-code.ts';
import { dailySealer } from '../platform/secrets/sealed-box.ts';
import { type Deliverer, deliverer } from '../tasks/deliver.ts';
import { liveTelemetry } from '../telemetry/live-telemetry.ts';
import { tracedStore } from '../telemetry/traced-store.ts';
import { enrollmentSigner } from '../tokens/enrollment-jwt.ts';
import { startBackgroundWork } from './background-work.ts';
import { type Callers, openCallers } from './callers.ts';
import { type Endpoints, endpointsBy, type LastingServices } from './endpoints.ts';
import type { Foundations } from './foundations.ts';
import { type Base, configInUse } from './in-use.ts';
import { openMail } from './mail.ts';
import { nodeName, type Observation, openObservation } from './observation.ts';
import { type OverlayPki, readOverlayPki, readOwnCertificates } from './overlay-pki.ts';
import { openProviders, type Providers } from './providers.ts';
import { openRecords, type Records } from './records.ts';
import { singleThread } from './thread-roles.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

export interface PreparedServices extends Endpoints {
  /** Puts the configuration in use. It cannot fail. */
  use(): void;
}

/**
 * Resolves when the service may take requests: the keys exist and the deny set is complete. Starts the parts in the
 * order in which they need one another; background work starts last, and ends first.
 * @throws PkiFileError a file of the overlay's PKI cannot be used
 */
export async function openServices(foundations: Foundations) {
  const pki = readOverlayPki(foundations);
  const { config, clock, first } = foundations;
  const startedAt = clock.now() / 1000 - process.uptime();
  const { base, telemetry } = openBase(foundations);
  const { inUse } = base;
  const records = openRecords(base);
  const { attempts } = records;
  const providers = openProviders(base);
  const deliveries: { deliverer: Deliverer | null } = { deliverer: null };
  const callers = await openCallers(base, providers, { ...records, ...pki, deliveries });
  const { view } = callers;
  const sending = first === undefined ? openDeliverer(base, { records, providers, callers }) : null;
  deliveries.deliverer = sending?.deliverer ?? null;
  const observation = openObservation(base, callers, { records, telemetry, startedAt, ...deliveries });
  const needs = endpointNeeds(base, { records, providers, callers, observation }, pki);
  const prepare = async (of: Config) => {
    const endpoints = endpointsBy(of, needs, inUse.accessTokenEnd);
    const useTelemetry = await telemetry.prepare(of.telemetry, observation.reported);
    const certificates = readOwnCertificates(of);
    return {
      endpoints,
      observe() {
        useTelemetry();
        observation.noteCertificates(certificates);
      },
    };
  };
  const { observe, ...current } = await prepare(config);
  observe();
  const stopWork = startBackgroundWork(base, callers, deliveries.deliverer);
  return {
    ...needs,
    ...observation,
    // For the other threads; only the first one fetches.
    ...{ keySet: providers.keySet, keeper: callers.keeper, ...deliveries },
    usedProofs: callers.usedProofs,
    issuers: callers.issuers,
    rotateKeysWhenDue: callers.rotateKeysWhenDue,
    /** Replaces the authorities of the overlay's PKI, from the next login on. */
    replaceOwnAuthorities: view.authorities.replaceOwn,
    get routes() {
      return current.endpoints.routes;
    },
    get views() {
      return current.endpoints.views;
    },
    /**
     * Prepares everything that follows from another configuration, the result of `takeOver` of config/reload.ts.
     * @throws ConfigError a file that it names cannot be used
     */
    async prepare(fresh: Config): Promise<PreparedServices> {
      // Before tokens may live longer, everything that has ended within the longer life must be known, and what is
      // revoked has to stay so for that long. Harmless if the configuration is refused in the end.
      await view.rememberEnded(inUse.allowTokensOf(fresh));
      const prepared = await prepare(fresh);
      const uses = [providers.prepare(fresh), sending?.prepareMail(fresh)];
      return {
        ...prepared.endpoints,
        use() {
          inUse.replace(fresh);
          current.endpoints = prepared.endpoints;
          prepared.observe();
          for (const use of uses) use?.();
        },
      };
    },
    mount: listenerServices(base, { records, callers, observation }),
    /** Stops background work. The caller closes the store and the hash pool. */
    async stop() {
      await stopWork();
      await observation.node.stop();
      await view.legacy.flush();
      await attempts.flush();
      view.feed.stop();
      await telemetry.stop();
      observation.stop();
    },
  };
}

/** All parts write traces, and reach the store through them. */
function openBase(foundations: Foundations) {
  const { config, clock, random, log, first, others = singleThread } = foundations;
  const threads = first?.threads ?? others.threads.answering;
  const telemetry = liveTelemetry({
    clock,
    random,
    log: first === undefined ? log : null,
    threads,
    service: { version: packageJson.version, instance: nodeName(config) },
  });
  const { tracing } = telemetry;
  const engine = config.db.engine === 'sqlite' ? 'sqlite' : 'postgresql';
  const store = tracedStore(foundations.store, tracing, engine);
  const base: Base = { ...foundations, store, tracing, others, threads, inUse: configInUse(config) };
  return { base, telemetry };
}

const resetSealer = (root: Buffer) => dailySealer(root, 'password-reset');

/** One thread delivers for the whole node. */
function openDeliverer(
  base: Base,
  { records, providers, callers }: Pick<Parts, 'records' | 'providers' | 'callers'>,
): { readonly deliverer: Deliverer; readonly prepareMail: ReturnType<typeof openMail>['prepare'] } {
  const { inUse, prepare: prepareMail } = openMail(base.config);
  const { store, clock, random, log, vault } = base;
  const { ring, watch, issuers } = callers;
  const { tagKey, unknownNameKey, authRequestRoot } = callers.secrets;
  const resets = resetSealer(authRequestRoot);
  const { outbound: poster } = providers;
  const { attempts } = records;
  const events = eventSender({ store, poster, vault, clock });
  const opened = deliverer({
    ...{ deliveries: store.deliveries, clock, random, log },
    senders: {
      logout: logoutSender({ store, poster, ring, clock, random }),
      event: events,
      'refused-login': events,
      mail: mailSender({ store, clock, tagKey, resets, inUse, issuers, inviteUrl }),
      reset: resetSender({ store, clock, resets, attempts, unknownNameKey, mailing: inUse }),
    },
    isReady: () => !watch.isWrong,
  });
  return { deliverer: opened, prepareMail };
}

interface Parts {
  readonly records: Records;
  readonly providers: Providers;
  readonly callers: Callers;
  readonly observation: Observation;
}

/** Services of the endpoints that outlive reloads: a reload must not disturb requests under way. */
function endpointNeeds(base: Base, parts: Parts, { signing, published, enrollmentIdentity }: OverlayPki) {
  const { config, store, clock, random, log, vault, first, threads } = base;
  const { audit, attempts } = parts.records;
  const { outbound, jwks } = parts.providers;
  const { ring, issuers, view, clients, accessTokens, proofs, authenticate } = parts.callers;
  const { node, checks, readMetrics } = parts.observation;
  const { authRequestRoot, ...secrets } = parts.callers.secrets;
  return {
    providers: providerDirectory({ client: outbound, clock }),
    poster: outbound,
    exchanges: exchangePlaces(threads),
    providerStates: dailySealer(authRequestRoot, 'provider-login'),
    pushedRequests: dailySealer(authRequestRoot, 'pushed-request'),
    passkeyQuestions: dailySealer(authRequestRoot, 'passkey-question'),
    resets: resetSealer(authRequestRoot),
    signerTests: signerTestSealers(authRequestRoot),
    sealer: authRequestSealer(authRequestRoot),
    callbacks: callbackSealer(authRequestRoot),
    authenticate,
    certificateIssuer: clientCertificateIssuer({ clock }, signing),
    // SPIFFE allows letters, digits, dots and dashes.
    trustDomain: new URL(`https://${config.edge.api.address}`).hostname.replace(/[^a-z0-9.-]/g, '-'),
    enrollmentSigner: enrollmentSigner(enrollmentIdentity),
    publishedAuthorities: publishedAuthorities(published),
    node,
    store,
    clock,
    random,
    log,
    audit,
    hasher: passwordHasher(base.hashPool),
    ring,
    accessTokens,
    proofs,
    attempts,
    jwks,
    outbound,
    view,
    ownSessions: view.ownSessions,
    signers: view.signers,
    newcomers: newcomers({
      ...{ store, clock, random, audit, signers: view.signers },
      mostOfSigner: () => base.inUse.edge.externalJwtSigners.maxNewIdentities,
    }),
    passkeyRules: () => view.passkeyRules.current,
    authorities: view.authorities,
    revocations: view.revocations,
    issuers: issuers.all,
    vault,
    ...secrets,
    clients,
    devicePolls: first?.devicePolls ?? devicePolls(),
    checks,
    readMetrics,
  } satisfies LastingServices;
}

function listenerServices(base: Base, { records, callers, observation }: Omit<Parts, 'providers'>) {
  const { clock, random, log, tracing, inspectAnswer } = base;
  const { view, watch, authenticate, proofs } = callers;
  return {
    applicationOrigins: originsOfApplications(view.clients.all),
    clock,
    random,
    log,
    audit: records.audit,
    attempts: records.attempts,
    strangersLog: records.strangersLog,
    callersLog: records.callersLog,
    tracing,
    onAnswer: observation.onAnswer,
    ...(inspectAnswer === undefined ? {} : { inspectAnswer }),
    clockWatch: watch,
    feed: view.feed,
    authenticate,
    nonces: proofs.nonces,
  } satisfies ListenerServices;
}
