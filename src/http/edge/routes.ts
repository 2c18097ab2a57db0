// The client API: what any identity may do for itself.

import type { Route } from '../routes.ts';
import { type CurrentNeeds, currentRoutes } from './current.ts';
import { type VersionNeeds, versionRoute } from './version.ts';

const root = '/edge/client/v1';

export function edgeClientRoutes(needs: CurrentNeeds & VersionNeeds): readonly Route[] {
  return [
    versionRoute(needs, 'edge-client', `${root}/version`),
    // Clients that know only the host ask here.
    versionRoute(needs, 'edge-client', '/version'),
    ...currentRoutes(needs, 'edge-client', root),
  ];
}
