import type { OidcBindPoint } from '../../oidc/flow/authorization-request.ts';
import { accountPaths } from '../pages/account-paths.ts';
import { consolePaths } from '../pages/console-paths.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type Api, servesApi } from '../request/route.ts';

/**
 * The bind point of a request, as the OIDC endpoints see it: issuer and allowed redirect URIs. Where the account page
 * and the console are served, they are clients without any configuration, at the origin of this bind point only.
 */
export function oidcBindPointOf(context: RequestContext): OidcBindPoint {
  const api = context.listener.apis.find((bound) => bound.binding === 'edge-oidc');
  if (api?.binding !== 'edge-oidc')
    throw new Error('an OIDC endpoint is mounted on a listener without edge-oidc');
  const { issuer } = context;
  const { redirectUris, postLogoutUris, browserSession } = api;
  const { origin } = new URL(issuer);
  const exact = (path: string) => ({ kind: 'exact' as const, uri: `${origin}${path}` });
  const own = [
    ...(servesAccountPage(context) ? [{ login: accountPaths.callback, logout: accountPaths.signedOut }] : []),
    ...(serves(context, 'console') ? [{ login: consolePaths.callback, logout: consolePaths.signedOut }] : []),
  ];
  return {
    issuer,
    browserSession,
    redirectUris: [...redirectUris, ...own.map(({ login }) => exact(login))],
    postLogoutUris: [...postLogoutUris, ...own.map(({ logout }) => exact(logout))],
  };
}

/** Whether the bind point of a request serves the account page. */
export function servesAccountPage(context: RequestContext): boolean {
  return serves(context, 'account');
}

function serves({ listener }: RequestContext, api: Api): boolean {
  return servesApi(new Set(listener.apis.map(({ binding }) => binding)), api);
}
