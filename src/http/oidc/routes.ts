// The endpoints of the OpenID provider, one line each. oidc/ decides what they do.

import type { ProviderLoginNeeds } from '../../oidc/flow/provider-login.ts';
import type { SignerTestNeeds } from '../../oidc/flow/signer-test.ts';
import type { GrantNeeds } from '../../oidc/grants/grant.ts';
import type { AuthenticatorStore } from '../../store/contracts/authenticators.ts';
import type { BrowserSessionStore } from '../../store/contracts/browser-sessions.ts';
import type { DeviceLoginStore } from '../../store/contracts/device-logins.ts';
import type { Route } from '../request/route.ts';
import { authorizationRoutes } from './authorization.ts';
import { callbackRoute } from './callback.ts';
import { deviceRoutes } from './device.ts';
import { documentRoutes } from './documents.ts';
import { endSessionRoute } from './end-session.ts';
import { type IntrospectionRouteNeeds, introspectionRoutes } from './introspection.ts';
import { type InviteRouteNeeds, inviteRoutes } from './invite.ts';
import type { StepNeeds } from './login-step.ts';
import { totpLoginRoutes } from './login-totp.ts';
import { passwordChangeRoute } from './password-change.ts';
import { primaryLoginRoutes } from './primary-login.ts';
import { providerVisitRoutes } from './provider-visit.ts';
import { signedInRoutes } from './signed-in.ts';
import { tokenRoutes } from './token.ts';
import { userInfoRoute } from './userinfo.ts';

export type OidcNeeds = GrantNeeds &
  Pick<IntrospectionRouteNeeds, 'authenticate'> &
  ProviderLoginNeeds &
  SignerTestNeeds &
  StepNeeds &
  InviteRouteNeeds & {
    readonly store: {
      readonly authenticators: AuthenticatorStore;
      readonly browserSessions: BrowserSessionStore;
      readonly deviceLogins: DeviceLoginStore;
    };
  };

export function oidcRoutes(needs: OidcNeeds): readonly Route[] {
  return [
    ...authorizationRoutes(needs),
    // Other clients are never sent there.
    ...(needs.clients.aliasIds.size === 0 ? [] : [callbackRoute(needs)]),
    ...signedInRoutes(needs),
    ...primaryLoginRoutes(needs),
    ...providerVisitRoutes(needs),
    ...totpLoginRoutes(needs),
    passwordChangeRoute(needs),
    ...tokenRoutes(needs),
    ...deviceRoutes(needs),
    ...inviteRoutes(needs),
    ...introspectionRoutes(needs),
    ...documentRoutes(needs),
    userInfoRoute(needs),
    endSessionRoute(needs),
  ];
}
