// All endpoints, built for a configuration. A reload builds all of them again, from parts that outlive it.

import type { Config } from '../config/config.ts';
import { type EdgeClientNeeds, edgeClientRoutes } from '../http/edge/routes.ts';
import type { ManagementNeeds } from '../http/management/needs.ts';
import { managementRoutes } from '../http/management/routes.ts';
import { type OidcNeeds, oidcRoutes } from '../http/oidc/routes.ts';
import { openApiRoutes } from '../http/openapi/routes.ts';
import { accountRoutes } from '../http/pages/account.ts';
import { brandedPages } from '../http/pages/assets.ts';
import { consoleRoutes } from '../http/pages/console.ts';
import { setupRoutes } from '../http/pages/setup.ts';
import type { Views } from '../http/pages/views.ts';
import type { Route } from '../http/request/route.ts';
import { type HealthCheck, healthRoutes } from '../http/server/health.ts';
import { type MetricsText, metricsRoutes } from '../http/server/metrics.ts';
import { totpPassed } from '../legacy/authenticate.ts';
import { asId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { ClientRegistry } from '../oidc/clients.ts';
import type { Millis } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { Store } from '../store/contracts/store.ts';
import { brandingOf } from './branding.ts';
import { thisBuild } from './build.ts';

/** What listeners answer with, under one configuration. */
export interface Endpoints {
  /** All endpoints; a listener mounts those of the APIs that it binds. */
  readonly routes: readonly Route[];
  readonly views: Views;
}

type EdgeNeeds = EdgeClientNeeds & ManagementNeeds;

/** What the endpoints need that outlives a reload. */
export type EndpointNeeds = Omit<OidcNeeds, 'views' | keyof ReturnType<typeof oidcSettings>> &
  Omit<EdgeNeeds, 'tokenLifetime' | keyof ReturnType<typeof edgeSettings>> & {
    readonly store: Store;
    readonly view: SessionView;
    readonly log: Logger;
    readonly checks: readonly HealthCheck[];
    readonly readMetrics: () => Promise<MetricsText>;
  };

/** @param tokenLifetime the maximum for access tokens, under any configuration that was in use */
export function endpointsBy(config: Config, needs: EndpointNeeds, tokenLifetime: Millis): Endpoints {
  const { views, assets } = brandedPages(brandingOf(config.branding));
  const edgeNeeds: EdgeNeeds = { ...needs, ...edgeSettings(needs, config), tokenLifetime };
  const routes: readonly Route[] = [
    ...oidcRoutes({ ...needs, ...oidcSettings(config), views }),
    ...edgeClientRoutes(edgeNeeds),
    ...managementRoutes(edgeNeeds),
    ...setupRoutes({ ...needs, views }),
    ...accountRoutes(views),
    ...consoleRoutes(views),
    ...assets,
    ...healthRoutes(needs, needs.checks),
    ...metricsRoutes(needs.readMetrics),
    ...openApiRoutes(views, () => routes),
  ];
  return { routes, views };
}

function oidcSettings({ edge }: Config) {
  return {
    maxSessionsPerIdentity: edge.sessions.maxPerIdentity,
    totpIssuer: edge.totp.issuer,
    idTokenAlg: edge.oidc.idTokenSigningAlg,
    retryGrace: edge.oidc.refreshTokenGrace,
    lifetimes: {
      accessToken: edge.oidc.accessTokenDuration,
      idToken: edge.oidc.idTokenDuration,
      refreshToken: edge.oidc.refreshTokenDuration,
      refreshFamily: edge.oidc.refreshFamilyDuration,
    },
  };
}

function edgeSettings(
  needs: { readonly store: Store; readonly view: SessionView; readonly clients: ClientRegistry },
  config: Config,
) {
  const { store, view, clients } = needs;
  const { edge } = config;
  return {
    config,
    build: thisBuild(),
    maxSessionsPerIdentity: edge.sessions.maxPerIdentity,
    clientsWithoutFreshProof: edge.oidc.compatibility.freshProofForFactors
      ? new Set<string>()
      : clients.aliasIds,
    enrollmentLifetime: edge.enrollment.edgeIdentity.duration,
    totpIssuer: edge.totp.issuer,
    sessionTimeout: edge.api.sessionTimeout,
    forgetSession: view.legacy.forget,
    keepAlive: view.legacy.keepAlive,
    async totpEnrolled(caller: Principal) {
      if (caller.mechanism === 'legacy')
        await totpPassed({ store, forgetSession: view.legacy.forget }, caller);
    },
    signerExists: async (id: string) => (await store.externalJwtSigners.find(asId(id))) !== null,
  };
}
