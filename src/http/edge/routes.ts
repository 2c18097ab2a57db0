// The client API: what any identity may do for itself.

import type { ClientCertificateIssuer } from '../../certificates/client-certificate-issuer.ts';
import type { ExtendCertificateNeeds } from '../../enrollment/extend-certificate.ts';
import type { Store } from '../../store/contracts/store.ts';
import { type LegacyRouteNeeds, legacyRoutes } from '../legacy/routes.ts';
import type { Route } from '../request/route.ts';
import { type OwnAccountNeeds, ownAccountRoutes } from './account.ts';
import { controllersRoute } from './controllers.ts';
import { type CurrentNeeds, currentRoutes } from './current.ts';
import { dataPlaneRoutes } from './data-plane.ts';
import { type EnrollNeeds, enrollRoutes } from './enroll.ts';
import { extendCertificateRoutes } from './extend-certificate.ts';
import { publicSignerRoute } from './external-jwt-signers.ts';
import { type OwnMfaNeeds, ownMfaRoutes } from './mfa.ts';
import { cacertsRoute, type NetworkNeeds, networkJwtRoute } from './network.ts';
import { type SessionCertificateRouteNeeds, sessionCertificateRoutes } from './session-certificates.ts';
import { verifyRoute } from './verify.ts';
import { type VersionNeeds, versionRoute } from './version.ts';

const root = '/edge/client/v1';

export interface EdgeClientNeeds
  extends CurrentNeeds,
    VersionNeeds,
    OwnMfaNeeds,
    OwnAccountNeeds,
    LegacyRouteNeeds,
    SessionCertificateRouteNeeds,
    ExtendCertificateNeeds,
    EnrollNeeds,
    NetworkNeeds {
  readonly attempts: OwnAccountNeeds['attempts'];
  readonly certificateIssuer: ClientCertificateIssuer;
  readonly store: CurrentNeeds['store'] &
    OwnMfaNeeds['store'] &
    OwnAccountNeeds['store'] &
    LegacyRouteNeeds['store'] &
    SessionCertificateRouteNeeds['store'] &
    ExtendCertificateNeeds['store'] &
    EnrollNeeds['store'] &
    Pick<Store, 'externalJwtSigners' | 'nodes'>;
}

/** The endpoints, each also without the prefix, where SDKs that stored the bare address of a controller call them. */
export function edgeClientRoutes(needs: EdgeClientNeeds): readonly Route[] {
  const prefixed = prefixedRoutes(needs).flatMap((route) => [
    route,
    { ...route, path: route.path.slice(root.length), aliasOf: route.path },
  ]);
  return [...prefixed, verifyRoute];
}

function prefixedRoutes(needs: EdgeClientNeeds): readonly Route[] {
  return [
    versionRoute(needs, 'edge-client', `${root}/version`),
    ...currentRoutes(needs, 'edge-client', root),
    ...sessionCertificateRoutes(needs, root),
    ...extendCertificateRoutes(needs, root),
    ...ownMfaRoutes(needs, 'edge-client', root),
    ...ownAccountRoutes(needs, 'edge-client', root),
    ...legacyRoutes(needs, 'edge-client', root),
    ...enrollRoutes(needs, root),
    cacertsRoute(needs, root),
    networkJwtRoute(needs, 'edge-client', `${root}/network-jwts`),
    publicSignerRoute(needs, `${root}/external-jwt-signers`),
    ...dataPlaneRoutes(root),
    controllersRoute(needs, `${root}/controllers`),
  ];
}
