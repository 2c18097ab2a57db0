// The endpoints of the OpenID provider, one line each. oidc/ has their rules.

import type { Route } from '../request/route.ts';
import { authorizationRoutes, callbackRoute, pushedRequestRoute } from './authorization.ts';
import { deviceRoutes } from './device.ts';
import { documentRoutes } from './documents.ts';
import { endSessionRoute } from './end-session.ts';
import { forgottenRoutes } from './forgotten.ts';
import { introspectionRoutes, userInfoRoute } from './introspection.ts';
import { inviteRoutes } from './invite.ts';
import { cancelLoginRoute, laterStepRoutes } from './later-steps.ts';
import type { PageServices } from './login-step.ts';
import { primaryLoginRoutes } from './primary-login.ts';
import { providerVisitRoutes } from './provider-visit.ts';
import { signedInRoutes } from './signed-in.ts';
import { tokenRoutes } from './token.ts';

export function oidcRoutes(needs: PageServices): readonly Route[] {
  return [
    ...authorizationRoutes(needs),
    pushedRequestRoute(needs),
    // Other clients are never sent there.
    ...(needs.clients.aliasIds.size === 0 ? [] : [callbackRoute(needs)]),
    ...signedInRoutes(needs),
    ...primaryLoginRoutes(needs),
    ...providerVisitRoutes(needs),
    ...laterStepRoutes(needs),
    cancelLoginRoute(needs),
    ...tokenRoutes(needs),
    ...deviceRoutes(needs),
    ...inviteRoutes(needs),
    ...forgottenRoutes(needs),
    ...introspectionRoutes(needs),
    ...documentRoutes(needs),
    userInfoRoute(needs),
    endSessionRoute(needs),
  ];
}
