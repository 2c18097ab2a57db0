// The client API: what any identity may do for itself.

import type { LegacyNeeds } from '../../legacy/authenticate.ts';
import type { Store } from '../../store/contracts/store.ts';
import { legacyRoutes } from '../legacy/routes.ts';
import type { Route } from '../routes.ts';
import { type CurrentNeeds, currentRoutes } from './current.ts';
import { publicSignerRoute } from './external-jwt-signers.ts';
import { type OwnMfaNeeds, ownMfaRoutes } from './mfa.ts';
import { type SessionCertificateRouteNeeds, sessionCertificateRoutes } from './session-certificates.ts';
import { type VersionNeeds, versionRoute } from './version.ts';

const root = '/edge/client/v1';

export interface EdgeClientNeeds
  extends CurrentNeeds,
    VersionNeeds,
    OwnMfaNeeds,
    LegacyNeeds,
    SessionCertificateRouteNeeds {
  readonly store: CurrentNeeds['store'] &
    OwnMfaNeeds['store'] &
    LegacyNeeds['store'] &
    SessionCertificateRouteNeeds['store'] &
    Pick<Store, 'externalJwtSigners'>;
}

export function edgeClientRoutes(needs: EdgeClientNeeds): readonly Route[] {
  return [
    versionRoute(needs, 'edge-client', `${root}/version`),
    // Clients that know only the host ask here.
    versionRoute(needs, 'edge-client', '/version'),
    ...currentRoutes(needs, 'edge-client', root),
    ...sessionCertificateRoutes(needs, root),
    ...ownMfaRoutes(needs, 'edge-client', root),
    ...legacyRoutes(needs, 'edge-client', root),
    publicSignerRoute(needs, `${root}/external-jwt-signers`),
  ];
}
