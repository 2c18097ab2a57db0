// All endpoints, built for a configuration. A reload builds all of them again, from parts that outlive it.

import { statSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import { parseRedirectUri } from '../config/redirect-uris.ts';
import { edgeClientRoutes } from '../http/edge/routes.ts';
import { managementRoutes } from '../http/management/routes.ts';
import type { PageServices } from '../http/oidc/login-step.ts';
import { oidcRoutes } from '../http/oidc/routes.ts';
import { openApiRoutes } from '../http/openapi/routes.ts';
import { accountRoutes } from '../http/pages/account.ts';
import { brandedPages } from '../http/pages/assets.ts';
import { consoleRoutes } from '../http/pages/console.ts';
import { setupRoutes } from '../http/pages/setup.ts';
import type { Route } from '../http/request/route.ts';
import type { Build, EdgeServices } from '../http/request/services.ts';
import { type HealthCheck, healthRoutes } from '../http/server/health.ts';
import { type MetricsText, metricsRoutes } from '../http/server/metrics.ts';
import { totpPassed } from '../legacy/authenticate.ts';
import type { EntityKind } from '../model/entities/entity.ts';
import type { OwnCall } from '../model/principal.ts';
import { type ClientRegistry, mainClientId } from '../oidc/clients.ts';
import { isoTime, type Millis } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { Store } from '../store/contracts/store.ts';
import { brandingOf } from './branding.ts';
import { mailingOf } from './mail.ts';
import { readOwnCertificates } from './overlay-pki.ts';
import { readAuthenticatorRoots } from './providers.ts';

/** The endpoints of listeners, under one configuration. */
export type Endpoints = ReturnType<typeof endpointsBy>;

/** Services of the endpoints that outlive a reload. */
export interface LastingServices
  extends Omit<PageServices & EdgeServices, 'views' | 'tokenLifetime' | keyof ReturnType<typeof settingsOf>> {
  readonly view: SessionView;
  readonly log: Logger;
  readonly checks: readonly HealthCheck[];
  readonly readMetrics: () => Promise<MetricsText>;
}

/**
 * All endpoints; a listener mounts those of the APIs that it binds.
 * @param tokenLifetime the maximum for access tokens, under any configuration that was in use
 */
export function endpointsBy(config: Config, lasting: LastingServices, tokenLifetime: Millis) {
  const { views, assets } = brandedPages(brandingOf(config.branding));
  const services = { ...lasting, ...settingsOf(config, lasting), views, tokenLifetime };
  const routes: readonly Route[] = [
    ...oidcRoutes(services),
    ...edgeClientRoutes(services),
    ...managementRoutes(services),
    ...setupRoutes(services),
    ...accountRoutes(views),
    ...consoleRoutes(views),
    ...assets,
    ...healthRoutes(services, services.checks),
    ...metricsRoutes(services.readMetrics),
    ...openApiRoutes(views, () => routes),
  ];
  return { routes, views };
}

/** Settings of the services, from the configuration. */
function settingsOf(
  config: Config,
  {
    store,
    view,
    clients,
    clock,
    audit,
  }: Pick<EdgeServices, 'clock' | 'audit'> & { store: Store; view: SessionView; clients: ClientRegistry },
) {
  const { oidc, sessions, totp, passkeys, enrollment, api, externalJwtSigners } = config.edge;
  const { changed: forgetSession, keepAlive } = view.legacy;
  return {
    config,
    mailing: mailingOf(config.mail),
    build: thisBuild(),
    ownCertificates: readOwnCertificates(config),
    maxSessionsPerIdentity: sessions.maxPerIdentity,
    totpIssuer: totp.issuer,
    passkeyRpId: passkeys.rpId,
    authenticatorRoots: readAuthenticatorRoots(config),
    idTokenAlg: oidc.idTokenSigningAlg,
    retryGrace: {
      strict: oidc.refreshTokenGrace,
      compatibility: Math.max(oidc.refreshTokenGrace, oidc.compatibility.refreshTokenGrace),
    },
    lifetimes: {
      accessToken: oidc.accessTokenDuration,
      idToken: oidc.idTokenDuration,
      refreshToken: oidc.refreshTokenDuration,
      refreshFamily: oidc.refreshFamilyDuration,
    },
    durations: oidc,
    builtInClients: new Set([mainClientId, ...oidc.compatibility.clientIds]),
    readRedirectUri: parseRedirectUri,
    limits: externalJwtSigners.jwksFetch,
    clientsWithoutFreshProof: oidc.compatibility.freshProofForFactors ? new Set<string>() : clients.aliasIds,
    enrollmentLifetime: enrollment.edgeIdentity.duration,
    sessionTimeout: api.sessionTimeout,
    forgetSession,
    keepAlive,
    async totpEnrolled(call: OwnCall) {
      if (call.caller.mechanism === 'legacy') await totpPassed({ store, clock, audit, forgetSession }, call);
    },
    exists: async (kind: EntityKind, id: string) => (await store.versions.find(kind, id)) !== null,
  };
}

// Which build is running. A published package has it in its package.json; a clone uses the release and the age of its
// sources instead.

/** Members that `scripts/build.mjs` adds to the package.json of a package. */
interface Built {
  readonly build?: Pick<Build, 'revision' | 'date'>;
}

function thisBuild(): Build {
  const { build }: Built = packageJson as Built;
  const { revision, date } = build ?? { revision: packageJson.version, date: dateOfSources() };
  return { revision, date, runtime: `node v${process.versions.node.split('.')[0]}` };
}

function dateOfSources(): string {
  return isoTime(Math.floor(statSync(new URL('../../package.json', import.meta.url)).mtimeMs));
}
