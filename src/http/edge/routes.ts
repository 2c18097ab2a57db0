// The client API: what any identity may do for itself.

import { legacyRoutes } from '../legacy/routes.ts';
import type { Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { ownAccountRoutes } from './account.ts';
import { controllersRoute } from './controllers.ts';
import { currentRoutes } from './current.ts';
import { dataPlaneRoutes } from './data-plane.ts';
import { enrollRoutes } from './enroll.ts';
import { extendCertificateRoutes } from './extend-certificate.ts';
import { publicSignerRoute } from './external-jwt-signers.ts';
import { ownMfaRoutes } from './mfa.ts';
import { cacertsRoute, networkJwtRoute } from './network.ts';
import { ownPasskeyRoutes } from './passkeys.ts';
import { sessionCertificateRoutes } from './session-certificates.ts';
import { verifyRoute } from './verify.ts';
import { descriptionRoutes, versionRoute } from './version.ts';

const root = '/edge/client/v1';

/** The endpoints, each also without the prefix, where SDKs that stored the bare address of a controller call them. */
export function edgeClientRoutes(needs: EdgeServices): readonly Route[] {
  const prefixed = prefixedRoutes(needs).flatMap((route) => [
    route,
    { ...route, path: route.path.slice(root.length), aliasOf: route.path },
  ]);
  // Without the prefix, the start page is there.
  const atRoot = [root, `${root}/`].map((path) => ({
    ...versionRoute(needs, 'edge-client', path),
    aliasOf: `${root}/version`,
  }));
  return [...prefixed, ...atRoot, verifyRoute];
}

function prefixedRoutes(needs: EdgeServices): readonly Route[] {
  return [
    versionRoute(needs, 'edge-client', `${root}/version`),
    ...descriptionRoutes(needs, 'edge-client', root),
    ...currentRoutes(needs, 'edge-client', root),
    ...sessionCertificateRoutes(needs, root),
    ...extendCertificateRoutes(needs, root),
    ...ownMfaRoutes(needs, 'edge-client', root),
    ...ownPasskeyRoutes(needs, 'edge-client', root),
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
