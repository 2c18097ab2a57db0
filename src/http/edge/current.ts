import { type ApiSessionNeeds, endApiSession, getOwnApiSession } from '../../admin/api-sessions.ts';
import { getIdentity } from '../../admin/identities.ts';
import { authQueryOf } from '../../login/auth-query.ts';
import type { SignerDirectory } from '../../login/signer-directory.ts';
import type { Principal } from '../../model/principal.ts';
import type { Store } from '../../store/contracts/store.ts';
import { adminCallOf } from '../admin-call.ts';
import { envelope } from '../answer.ts';
import { apiSessionDocument } from '../api-session-document.ts';
import { enforceGuard } from '../guard.ts';
import { identityDocuments } from '../identity-document.ts';
import { type Route, route } from '../routes.ts';
import { sessionHeaders } from '../session-headers.ts';

export interface CurrentNeeds extends ApiSessionNeeds {
  readonly store: Pick<Store, 'identities' | 'authPolicies' | 'apiSessions' | 'totp'>;
  readonly signers: SignerDirectory;
}

/** What callers may ask and do about themselves, on either Edge API. */
export function currentRoutes(
  needs: CurrentNeeds,
  api: 'edge-client' | 'edge-management',
  root: string,
): readonly Route[] {
  const common = { api, errors: 'edge' } as const;
  return [
    route({
      ...common,
      methods: ['GET'],
      path: `${root}/current-identity`,
      guard: 'full',
      async handler({ principal }) {
        const identity = await getIdentity(needs, principal.identityId);
        return envelope((await identityDocuments(needs, [identity]))[0]);
      },
    }),
    route({
      ...common,
      methods: ['GET'],
      path: `${root}/current-api-session`,
      // A legacy session may be read while factors are outstanding (spec 5.6): it tells which.
      guard: 'partial',
      async handler({ principal }) {
        if (principal.mechanism === 'oidc') enforceGuard('full', principal);
        return envelope(await currentApiSession(needs, principal));
      },
    }),
    route({
      ...common,
      methods: ['DELETE'],
      path: `${root}/current-api-session`,
      guard: 'full',
      async handler(context) {
        await endApiSession(needs, adminCallOf(context), context.principal.apiSessionId, 'logout');
        return envelope({});
      },
    }),
  ];
}

/** Expiry is that of what the caller presented: for OIDC the access token's (spec 5.5). */
async function currentApiSession(needs: CurrentNeeds, principal: Principal): Promise<object> {
  const session = await getOwnApiSession(needs, principal);
  const expiry = sessionHeaders(principal, needs.clock.now());
  return {
    ...apiSessionDocument(session),
    _links: { self: { href: './current-api-session' } },
    authQueries: principal.outstanding.map((factor) =>
      authQueryOf(factor, './authenticate/mfa', needs.signers),
    ),
    expiresAt: expiry['expires-at'],
    expirationSeconds: Number(expiry['expiration-seconds']),
  };
}
