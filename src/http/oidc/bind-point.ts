import type { RequestOrigin } from '../../model/audit-event.ts';
import type { OidcBindPoint } from '../../oidc/authorization-request.ts';
import type { RequestContext } from '../request-context.ts';

/** The bind point of a request, as the OIDC endpoints see it: issuer and allowed redirects. */
export function oidcBindPointOf(context: RequestContext): OidcBindPoint {
  const api = context.listener.apis.find((bound) => bound.binding === 'edge-oidc');
  if (api?.binding !== 'edge-oidc')
    throw new Error('an OIDC endpoint is mounted on a listener without edge-oidc');
  return { issuer: context.issuer, redirectUris: api.redirectUris, postLogoutUris: api.postLogoutUris };
}

/** Where a request came from, for the audit trail. */
export function originOf(context: RequestContext): RequestOrigin {
  return { requestId: context.requestId, ipAddress: context.remoteAddress, issuer: context.issuer };
}
