// The client API: what any identity may do for itself.

import type { Store } from '../../store/contracts/store.ts';
import type { Route } from '../routes.ts';
import { type CurrentNeeds, currentRoutes } from './current.ts';
import { publicSignerRoute } from './external-jwt-signers.ts';
import { type VersionNeeds, versionRoute } from './version.ts';

const root = '/edge/client/v1';

export interface EdgeClientNeeds extends CurrentNeeds, VersionNeeds {
  readonly store: CurrentNeeds['store'] & Pick<Store, 'externalJwtSigners'>;
}

export function edgeClientRoutes(needs: EdgeClientNeeds): readonly Route[] {
  return [
    versionRoute(needs, 'edge-client', `${root}/version`),
    // Clients that know only the host ask here.
    versionRoute(needs, 'edge-client', '/version'),
    ...currentRoutes(needs, 'edge-client', root),
    publicSignerRoute(needs, `${root}/external-jwt-signers`),
  ];
}
