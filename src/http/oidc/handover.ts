import type { Handover } from '../../oidc/flow/callback.ts';
import type { View } from '../../pages/view.ts';
import { type Answer, redirect } from '../request/answer.ts';
import { formPostAnswer } from '../request/form-post.ts';
import { sessionCookieHeader } from './session-cookie.ts';

/** Sends the browser on to the client, with the cookie of a session that was opened for it. */
export function handoverAnswer(
  view: () => View,
  handover: Handover & { readonly cookie?: string | undefined },
): Answer {
  const { cookie } = handover;
  const headers = cookie === undefined ? {} : { 'set-cookie': sessionCookieHeader(cookie) };
  return handover.kind === 'redirect'
    ? redirect(handover.location, { headers })
    : formPostAnswer(view(), handover, headers);
}
