// The client API: what any identity may do for itself.

import { legacyRoutes } from '../legacy/routes.ts';
import { clientApi, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { ownAccountRoutes } from './account.ts';
import { extendCertificateRoutes, sessionCertificateRoutes } from './certificates.ts';
import { currentRoutes } from './current.ts';
import { dataPlaneRoutes } from './data-plane.ts';
import { enrollRoutes } from './enroll.ts';
import { publicSignerRoute } from './external-jwt-signers.ts';
import { ownMfaRoutes } from './mfa.ts';
import { cacertsRoute, controllersRoute, networkJwtRoute } from './network.ts';
import { ownPasskeyRoutes } from './passkeys.ts';
import { verifyRoute } from './verify.ts';
import { descriptionRoutes, versionRoute } from './version.ts';

/** The endpoints, each also without the prefix, where SDKs that stored the bare address of a controller call them. */
export function edgeClientRoutes(needs: EdgeServices): readonly Route[] {
  const prefixed = prefixedRoutes(needs).flatMap((route) => [
    route,
    { ...route, path: route.path.slice(clientApi.root.length), aliasOf: route.path },
  ]);
  // Without the prefix, the start page is there.
  const version = versionRoute(needs, clientApi);
  const atRoot = ['', '/'].map((end) => ({ ...version, path: clientApi.root + end, aliasOf: version.path }));
  return [...prefixed, ...atRoot, verifyRoute];
}

function prefixedRoutes(needs: EdgeServices): readonly Route[] {
  return [
    versionRoute(needs, clientApi),
    ...descriptionRoutes(needs, clientApi),
    ...currentRoutes(needs, clientApi),
    ...sessionCertificateRoutes(needs),
    ...extendCertificateRoutes(needs),
    ...ownMfaRoutes(needs, clientApi),
    ...ownPasskeyRoutes(needs, clientApi),
    ...ownAccountRoutes(needs, clientApi),
    ...legacyRoutes(needs, clientApi),
    ...enrollRoutes(needs, clientApi.root),
    cacertsRoute(needs),
    networkJwtRoute(needs, clientApi),
    publicSignerRoute(needs, `${clientApi.root}/external-jwt-signers`),
    ...dataPlaneRoutes(),
    controllersRoute(needs),
  ];
}
