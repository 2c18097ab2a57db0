// The endpoints of the OpenID provider: one line each. What they do is oidc/'s business.

import type { AuthRequestSealer } from '../../oidc/auth-request-id.ts';
import type { GrantNeeds } from '../../oidc/issue-tokens.ts';
import type { LoginFlowNeeds } from '../../oidc/login-flow.ts';
import type { AuthenticatorStore } from '../../store/contracts/authenticators.ts';
import type { AccessTokenVerifier } from '../../tokens/access-token.ts';
import type { Route } from '../routes.ts';
import { authorizationRoute } from './authorization.ts';
import { documentRoutes } from './documents.ts';
import { endSessionRoute } from './end-session.ts';
import { usernameLoginRoutes } from './login.ts';
import { certificateLoginRoutes } from './login-cert.ts';
import { externalJwtLoginRoutes } from './login-ext-jwt.ts';
import { totpLoginRoutes } from './login-totp.ts';
import { tokenRoutes } from './token.ts';
import { userInfoRoute } from './userinfo.ts';

export type OidcNeeds = GrantNeeds &
  LoginFlowNeeds & {
    readonly accessTokens: AccessTokenVerifier;
    readonly sealer: AuthRequestSealer;
    readonly store: { readonly authenticators: AuthenticatorStore };
  };

export function oidcRoutes(needs: OidcNeeds): readonly Route[] {
  return [
    authorizationRoute(needs),
    ...usernameLoginRoutes(needs),
    ...certificateLoginRoutes(needs),
    ...externalJwtLoginRoutes(needs),
    ...totpLoginRoutes(needs),
    ...tokenRoutes(needs),
    ...documentRoutes(needs),
    userInfoRoute(needs),
    endSessionRoute(needs),
  ];
}
