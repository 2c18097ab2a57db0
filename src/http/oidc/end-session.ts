import { z } from 'zod';
import type { AuditTrail } from '../../model/audit-event.ts';
import { endSession } from '../../oidc/end-session.ts';
import { loggedOutPage } from '../../pages/logged-out.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiSessionStore } from '../../store/contracts/api-sessions.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';
import { accountPaths } from '../pages/account-paths.ts';
import type { Views } from '../pages/views.ts';
import { json, page, redirect } from '../request/answer.ts';
import { documentAnswer, orPage, redirectAnswer } from '../request/declared-answers.ts';
import { wantsHtml } from '../request/negotiate.ts';
import { originOf } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { oidcBindPointOf, servesAccountPage } from './bind-point.ts';
import { anyParameters, parametersOf } from './protocol-parameters.ts';

const logoutParameters = z.object({
  id_token_hint: z.string().optional(),
  post_logout_redirect_uri: z.string().optional(),
  state: z.string().optional(),
  client_id: z.string().optional(),
});

/** GET and POST `/oidc/end_session` (OIDC RP-Initiated Logout 1.0). */
export function endSessionRoute(needs: {
  readonly store: { readonly apiSessions: ApiSessionStore };
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  readonly views: Views;
}): Route {
  return route({
    methods: ['GET', 'POST'],
    path: '/oidc/end_session',
    api: 'oidc',
    guard: 'anonymous',
    errors: 'html-or-oauth',
    summary: 'End a session (OIDC RP-Initiated Logout 1.0)',
    answers: {
      200: orPage(documentAnswer(z.strictObject({ signedOut: z.boolean() }), 'Whether a session ended')),
      302: redirectAnswer('To the registered post_logout_redirect_uri'),
    },
    refusals: ['could_not_validate'],
    acceptsForeignPages:
      'applications log people out with a form (RP-Initiated Logout 1.0, section 2); the ID token in it names the session, and GET does the same',
    described: { query: logoutParameters, body: logoutParameters },
    query: anyParameters,
    body: { json: false, form: true, schema: anyParameters },
    async handler(context, { query, body }) {
      const parameters = parametersOf(query, body ?? {});
      const result = await endSession(needs, oidcBindPointOf(context), parameters, originOf(context));
      if (result.kind === 'redirect') return redirect(result.location);
      const isSignedOut = result.kind === 'signed-out';
      if (!wantsHtml(context.headers.accept)) return json({ signedOut: isSignedOut });
      const accountPath = servesAccountPage(context) ? accountPaths.page : null;
      return page(loggedOutPage(needs.views(context), { isSignedOut, accountPath }));
    },
  });
}
