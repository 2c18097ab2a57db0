import { AuthError } from '../errors/auth-error.ts';
import type { Principal } from '../model/principal.ts';
import type { AuthenticatorStore } from '../store/contracts/authenticators.ts';

/** Answer of the userinfo endpoint (OIDC Core 5.3.2). Wire names. */
export interface UserInfo {
  readonly sub: string;
  readonly name: string;
  /** The user name, for identities that have one. */
  readonly preferred_username?: string;
}

/**
 * Claims about the caller.
 * @throws AuthError insufficient_scope   the token lacks `openid`
 */
export async function userInfo(
  needs: { readonly store: { readonly authenticators: AuthenticatorStore } },
  principal: Principal,
): Promise<UserInfo> {
  if (!principal.scopes.includes('openid')) throw new AuthError('insufficient_scope');
  const { items } = await needs.store.authenticators.list({
    filter: {
      op: 'and',
      terms: [
        { op: '=', field: 'identityId', value: principal.identityId },
        { op: '=', field: 'method', value: 'updb' },
      ],
    },
    sort: [],
    limit: 1,
    offset: 0,
  });
  const authenticator = items[0];
  return {
    sub: principal.identityId,
    name: principal.identityName,
    ...(authenticator?.method === 'updb' ? { preferred_username: authenticator.username } : {}),
  };
}
