// `/oidc/login/cancel`: the person does not sign in, and goes back to the application.

import { z } from 'zod';
import { AuthorizationError } from '../../errors/auth-error.ts';
import { wayBack } from '../../oidc/flow/callback.ts';
import { requireOpen } from '../../oidc/flow/login-flow.ts';
import { htmlType } from '../request/answer.ts';
import { anonymous, contentAnswer, type Route, redirectAnswer, route } from '../request/route.ts';
import { stepRefusals } from './login-declarations.ts';
import { authRequestIdMembers, openStep, type PageServices } from './login-step.ts';
import { cancelLoginPath } from './sign-in-ways.ts';

/**
 * A GET, because the link leads to the application; it changes nothing here. The answer says no more than anybody can
 * say who sends the browser to the application without us.
 */
export function cancelLoginRoute(needs: PageServices): Route {
  return route({
    path: cancelLoginPath,
    methods: ['GET'],
    ...anonymous('oidc', 'counted', 'html-or-edge'),
    summary: 'Give a login up, and go back to the client with access_denied (RFC 6749 section 4.1.2.1)',
    answers: {
      200: contentAnswer(htmlType, 'The form for the client, with the error'),
      302: redirectAnswer('To the redirect URI of the client, with the error'),
    },
    refusals: stepRefusals,
    query: z.object(authRequestIdMembers),
    async handler(context, { query }) {
      const { authRequest } = openStep(needs, context, query);
      await requireOpen(needs, authRequest);
      throw new AuthorizationError('access_denied', wayBack(authRequest));
    },
  });
}
