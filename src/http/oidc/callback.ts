import { z } from 'zod';
import { callbackPath, followCallback } from '../../oidc/flow/callback.ts';
import type { CallbackSealer } from '../../oidc/services.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Views } from '../pages/views.ts';
import { htmlType } from '../request/answer.ts';
import { originOf } from '../request/request-context.ts';
import { anonymous, contentAnswer, type Route, redirectAnswer, route } from '../request/route.ts';
import { bindingCookie } from './browser-binding.ts';
import { handoverAnswer } from './step-answers.ts';

/** GET `/oidc/authorize/callback?id=`: the second redirect after a login by a client of the compatibility profile. */
export function callbackRoute(needs: { callbacks: CallbackSealer; clock: Clock; views: Views }): Route {
  return route({
    methods: ['GET'],
    path: `/oidc${callbackPath}`,
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
        followCallback(needs, { id: query.id, browserCookie: bindingCookie(context) }, originOf(context)),
      ),
  });
}
