import type { Listener } from '../../config/config.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { RequestContext } from '../request/request-context.ts';
import { servesApi } from '../request/route.ts';

/** The page that an invitation links to. */
export const invitePath = '/invite';
/** Where its script asks for a passkey, and sends the answer. */
export const invitePasskeyPaths = { options: '/invite/passkey/options', add: '/invite/passkey' } as const;

/** The address of the page that the link leads to, at a bind point that shows pages. */
export function inviteUrl(issuer: string, token: string): string {
  const url = new URL(invitePath, issuer);
  url.searchParams.set('t', token);
  return url.href;
}

/**
 * The issuer of the bind point for links: that of the request if people can sign in there, and otherwise the first
 * configured one where they can.
 * @throws AuthError conflict   no listener shows pages
 */
export function issuerForLinks(
  { issuer, listener }: Pick<RequestContext, 'issuer' | 'listener'>,
  listeners: readonly Listener[],
): string {
  const elsewhere = listeners.find((one) => servesApi(one, 'pages'))?.bindPoints[0]?.issuer;
  const base = servesApi(listener, 'pages') ? issuer : elsewhere;
  if (base === undefined)
    throw new AuthError('conflict', {
      description: 'No listener shows pages: bind edge-oidc to one in the configuration',
    });
  return base;
}
