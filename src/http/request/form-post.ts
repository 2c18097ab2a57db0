// The answer to a client that wants it as a form (OAuth 2.0 Form Post Response Mode).

import { formPostPage, formPostScript } from '../../pages/form-post.ts';
import type { View } from '../../pages/layout.ts';
import { type Answer, type AnswerHeaders, page } from './answer.ts';
import { formTarget } from './security-headers.ts';

export function formPostAnswer(
  view: View,
  form: { action: string; fields: readonly (readonly [string, string])[] },
  headers: AnswerHeaders = {},
): Answer {
  return page(formPostPage(view, form), {
    headers,
    formTargets: [formTarget(form.action)],
    inlineScript: formPostScript,
  });
}
