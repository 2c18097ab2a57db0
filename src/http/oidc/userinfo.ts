import { userInfo } from '../../oidc/userinfo.ts';
import type { AuthenticatorStore } from '../../store/contracts/authenticators.ts';
import { json } from '../answer.ts';
import { type Route, route } from '../routes.ts';

/** GET and POST `/oidc/userinfo` (OIDC Core 5.3). The token stands in the Authorization header and nowhere else. */
export function userInfoRoute(needs: {
  readonly store: { readonly authenticators: AuthenticatorStore };
}): Route {
  return route({
    methods: ['GET', 'POST'],
    path: '/oidc/userinfo',
    api: 'oidc',
    guard: 'full',
    errors: 'oauth',
    handler: async (context) => json(await userInfo(needs, context.principal)),
  });
}
