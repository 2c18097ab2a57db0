import type { OidcBindPoint } from '../../oidc/flow/authorization-request.ts';
import { accountPaths } from '../pages/account-paths.ts';
import type { RequestContext } from '../request/request-context.ts';
import { servesApi } from '../request/route.ts';

/**
 * The bind point of a request, as the OIDC endpoints see it: issuer and allowed redirects. Where the account page is
 * served it is a client without any configuration, at the origin of this bind point and at no other.
 */
export function oidcBindPointOf(context: RequestContext): OidcBindPoint {
  const api = context.listener.apis.find((bound) => bound.binding === 'edge-oidc');
  if (api?.binding !== 'edge-oidc')
    throw new Error('an OIDC endpoint is mounted on a listener without edge-oidc');
  const { issuer } = context;
  const { redirectUris, postLogoutUris, browserSession } = api;
  if (!servesAccountPage(context)) return { issuer, redirectUris, postLogoutUris, browserSession };
  const { origin } = new URL(issuer);
  return {
    issuer,
    browserSession,
    redirectUris: [...redirectUris, { kind: 'exact', uri: `${origin}${accountPaths.callback}` }],
    postLogoutUris: [...postLogoutUris, { kind: 'exact', uri: `${origin}${accountPaths.page}` }],
  };
}

/** Whether the account page is served where a request came in. */
export function servesAccountPage({ listener }: RequestContext): boolean {
  return servesApi(new Set(listener.apis.map(({ binding }) => binding)), 'account');
}
