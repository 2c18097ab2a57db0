// The endpoints of the OpenID provider: one line each. What they do is oidc/'s business.

import type { GrantNeeds } from '../../oidc/issue-tokens.ts';
import type { ProviderLoginNeeds } from '../../oidc/provider-login.ts';
import type { AuthenticatorStore } from '../../store/contracts/authenticators.ts';
import type { AccessTokenVerifier } from '../../tokens/access-token.ts';
import type { Route } from '../routes.ts';
import { authorizationRoute } from './authorization.ts';
import { documentRoutes } from './documents.ts';
import { endSessionRoute } from './end-session.ts';
import { usernameLoginRoutes } from './login.ts';
import { certificateLoginRoutes } from './login-cert.ts';
import { externalJwtLoginRoutes } from './login-ext-jwt.ts';
import type { StepNeeds } from './login-step.ts';
import { totpLoginRoutes } from './login-totp.ts';
import { providerVisitRoutes } from './provider-visit.ts';
import { tokenRoutes } from './token.ts';
import { userInfoRoute } from './userinfo.ts';

export type OidcNeeds = GrantNeeds &
  ProviderLoginNeeds &
  StepNeeds & {
    readonly accessTokens: AccessTokenVerifier;
    readonly store: { readonly authenticators: AuthenticatorStore };
  };

export function oidcRoutes(needs: OidcNeeds): readonly Route[] {
  return [
    authorizationRoute(needs),
    ...usernameLoginRoutes(needs),
    ...certificateLoginRoutes(needs),
    ...externalJwtLoginRoutes(needs),
    ...providerVisitRoutes(needs),
    ...totpLoginRoutes(needs),
    ...tokenRoutes(needs),
    ...documentRoutes(needs),
    userInfoRoute(needs),
    endSessionRoute(needs),
  ];
}
