import { z } from 'zod';
import { endApiSession } from '../../admin/sessions.ts';
import { certificateExtension } from '../../certificates/client-certificate-issuer.ts';
import { existing } from '../../errors/auth-error.ts';
import { authQueryOf } from '../../login/auth-query.ts';
import type { Principal } from '../../model/principal.ts';
import { after } from '../../platform/after.ts';
import { getOwnApiSession, type ShownApiSession } from '../../sessions/own-session-view.ts';
import {
  apiSessionDocument,
  extensionMembers,
  ownApiSessionSchema,
} from '../documents/api-session-document.ts';
import { accountDocument, ownIdentitySchema } from '../documents/identity-document.ts';
import { legacySessionDocument, legacySessionSchema } from '../legacy/routes.ts';
import { enforceGuard, sessionHeaders } from '../request/guard.ts';
import type { AuthenticatedContext } from '../request/request-context.ts';
import { dataAnswer, type EdgeApi, edgeRoutes, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

/** Endpoints about the caller's identity and session, on either Edge API. */
export function currentRoutes(needs: EdgeServices, api: EdgeApi): readonly Route[] {
  const at = edgeRoutes(api);
  return [
    at('GET', 'current-identity', {
      summary: "Read the caller's identity",
      answer: dataAnswer(ownIdentitySchema, 'The identity of the caller'),
      data: ({ principal }) => accountDocument(principal.account, needs.clock.now()),
    }),
    at('GET', 'current-api-session', {
      summary: 'Read the session of the caller',
      answer: dataAnswer(
        z.union([legacySessionSchema, ownApiSessionSchema]),
        'The session; one of the zt-session header has more members',
      ),
      refusals: ['not_found'],
      // A legacy session may be read while factors are outstanding (spec 5.6): it names them.
      guard: 'partial',
      data(context) {
        const { principal } = context;
        if (principal.mechanism === 'legacy') return currentLegacySession(needs, context);
        enforceGuard('full', principal);
        return after(getOwnApiSession(needs, principal), (session) =>
          currentApiSession(needs, principal, session),
        );
      },
    }),
    at('DELETE', 'current-api-session', {
      summary: 'End the session of the caller',
      refusals: ['not_found'],
      // Callers may give up a session while factors are outstanding.
      guard: 'partial',
      async does(context) {
        await endApiSession(needs, context.adminCall(), {
          id: context.principal.apiSessionId,
          reason: 'logout',
        });
      },
    }),
  ];
}

/** The last activity is this call. The store records it a little later. */
async function currentLegacySession(
  needs: EdgeServices,
  { principal, ztSession = '' }: AuthenticatedContext,
): Promise<object> {
  const stored = existing(await needs.store.apiSessions.find(principal.apiSessionId));
  const { expiresAt, issuedAt: lastActivityAt } = principal;
  const session = { ...stored, expiresAt, lastActivityAt, identityName: principal.account.identity.name };
  return legacySessionDocument(needs.signers, session, {
    token: ztSession,
    outstanding: principal.outstanding,
    timeout: needs.sessionTimeout,
    extension: await certificateExtension(needs, stored),
  });
}

/** The expiry of what the caller presented: with OIDC, of the access token (spec 5.5). */
function currentApiSession(
  needs: EdgeServices,
  principal: Principal,
  session: ShownApiSession,
): object | Promise<object> {
  const expiry = sessionHeaders(principal, needs.clock.now());
  return after(certificateExtension(needs, session), (extension) => ({
    ...apiSessionDocument(session),
    _links: { self: { href: './current-api-session' } },
    authQueries: principal.outstanding.map((factor) =>
      authQueryOf(factor, { totpUrl: './authenticate/mfa', signers: needs.signers }),
    ),
    expirationSeconds: Number(expiry['expiration-seconds']),
    ...extensionMembers(extension),
  }));
}
