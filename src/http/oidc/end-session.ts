import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { endSession, type LogoutTarget } from '../../oidc/end-session.ts';
import { presentedSession } from '../../oidc/flow/browser-session.ts';
import { joined } from '../../oidc/parameters.ts';
import { loggedOutPage, logOutQuestionPage } from '../../pages/log-out.ts';
import { accountPaths } from '../pages/app-paths.ts';
import { type Answer, json, page, redirect } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  anonymous,
  byLinkAnswer,
  documentAnswer,
  orPage,
  type Route,
  redirectAnswer,
  route,
  servesApi,
} from '../request/route.ts';
import { formTarget } from '../request/security-headers.ts';
import { oidcBindPointOf, type PageServices } from './login-step.ts';
import { noSessionCookieHeader, sessionCookie } from './session-cookie.ts';
import { applicationOf } from './sign-in-ways.ts';

const path = '/oidc/end_session';
/** The field and value with which the form of our own page says that the person agrees. */
const [agreedField, agreedValue] = ['agreed', 'yes'];

const logoutParameters = z.object({
  id_token_hint: z.string().optional(),
  post_logout_redirect_uri: z.string().optional(),
  state: z.string().optional(),
  client_id: z.string().optional(),
});

/** GET and POST `/oidc/end_session` (OIDC RP-Initiated Logout 1.0). */
export function endSessionRoute(needs: PageServices): Route {
  return route(['GET', 'POST'], path, {
    ...anonymous('oidc', 'counted', 'html-or-oauth'),
    summary: 'End a session (OIDC RP-Initiated Logout 1.0)',
    answers: {
      200: orPage(documentAnswer(z.strictObject({ signedOut: z.boolean() }), 'Whether a session ended')),
      302: redirectAnswer('To the registered post_logout_redirect_uri'),
      303: byLinkAnswer,
    },
    refusals: ['could_not_validate', 'invalid_client', 'forbidden'],
    acceptsForeignPages:
      'applications log people out with a form (RP-Initiated Logout 1.0, section 2); the ID token in it names the session, and GET does the same',
    described: { query: logoutParameters, body: logoutParameters },
    query: anyParameters,
    body: { json: false, form: true, schema: anyParameters },
    async handler(context, { query, body }) {
      const parameters = body === undefined ? query : joined(query, body);
      const { sender, method } = context;
      // The person may never click. Browsers throw a refusal away and ask again at the click.
      if (sender.isAheadOfClick) throw new AuthError('forbidden');
      const isAgreed = body?.[agreedField] === agreedValue && method === 'POST' && sender.kind === 'own-page';
      const bindPoint = oidcBindPointOf(context);
      // Programs keep no cookies, and have no person who could answer the question.
      const cookie = sender.isPerson ? sessionCookie(context) : null;
      const browserSession = await presentedSession(needs, bindPoint, cookie);
      const asked = { parameters, isAgreed, browserSession };
      const result = await endSession(needs, asked, { bindPoint, origin: context.origin });
      if (result.kind === 'ask') return question(needs, context, result.to);
      const isSignedOut = result.kind === 'signed-out';
      const leavesBrowser = isSignedOut && result.leavesBrowser;
      const headers = leavesBrowser ? { 'set-cookie': noSessionCookieHeader } : {};
      if (isSignedOut && result.location !== null) return redirect(result.location, { headers });
      if (!sender.isPerson) return json({ signedOut: isSignedOut });
      const accountPath = servesApi(context.listener, 'account') ? accountPaths.page : null;
      return page(loggedOutPage(needs.views(context), { isSignedOut, accountPath }), { headers });
    },
  });
}

/**
 * Asks the person, because no ID token names the session.
 * @throws AuthError invalid_request   a program asks: no person could answer the question
 */
function question(
  { views, clients }: PageServices,
  context: RequestContext,
  to: LogoutTarget | null,
): Answer {
  if (!context.sender.isPerson)
    throw new AuthError('invalid_request', { description: 'a redirect after logout needs an id_token_hint' });
  const agreed = [agreedField, agreedValue] as const;
  if (to === null)
    return page(logOutQuestionPage(views(context), { action: path, application: 'none', fields: [agreed] }));
  const { clientId, redirectUri, state } = to;
  const html = logOutQuestionPage(views(context), {
    action: path,
    application: applicationOf(clients, { clientId, redirectUri, issuer: context.issuer }),
    fields: [
      ['client_id', clientId],
      ['post_logout_redirect_uri', redirectUri],
      ...(state === null ? [] : [['state', state] as const]),
      agreed,
    ],
  });
  return page(html, { formTargets: [formTarget(redirectUri)] });
}
