import { z } from 'zod';
import { callbackPath, followCallback } from '../../oidc/flow/callback.ts';
import { htmlType } from '../request/answer.ts';
import { anonymous, contentAnswer, type Route, redirectAnswer, route } from '../request/route.ts';
import { bindingsOf } from './browser-binding.ts';
import type { PageServices } from './login-step.ts';
import { handoverAnswer } from './step-answers.ts';

/** GET `/oidc/authorize/callback?id=`: the second redirect after a login by a client of the compatibility profile. */
export function callbackRoute(needs: PageServices): Route {
  return route('GET', `/oidc${callbackPath}`, {
    ...anonymous('oidc', 'counted', 'html-or-oauth'),
    summary: 'Follow the second redirect of a finished login (compatibility profile)',
    answers: {
      200: contentAnswer(htmlType, 'The form that brings the code to the client, where it asks for one'),
      302: redirectAnswer('To the redirect URI, with the code'),
    },
    refusals: ['auth_request_unknown'],
    query: z.object({ id: z.string() }),
    handler: (context, { query }) =>
      handoverAnswer(
        () => needs.views(context),
        followCallback(needs, { id: query.id, browser: bindingsOf(context) }, context.origin),
      ),
  });
}
