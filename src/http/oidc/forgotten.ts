// `/forgotten`: asks for a mail with which a person chooses a new password. The link leads to `/invite`.

import { z } from 'zod';
import { askForReset } from '../../enrollment/ask-reset.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { forgottenDonePage, forgottenPage } from '../../pages/forgotten.ts';
import { issuerForLinks } from '../documents/invite-path.ts';
import { htmlType, page } from '../request/answer.ts';
import { anonymous, type Route, route, somePage } from '../request/route.ts';
import type { PageServices } from './login-step.ts';

const forgottenPath = '/forgotten';
const common = {
  ...anonymous('pages', 'counted', 'html-or-edge'),
  produces: [htmlType],
} as const;

/** Where people ask for a mail; null: the configuration does not allow it. */
export function forgottenPathOf({ mailing }: Pick<PageServices, 'mailing'>): string | null {
  return mailing?.passwordReset.allowed ? forgottenPath : null;
}

/** GET and POST `/forgotten`. */
export function forgottenRoutes(needs: PageServices): readonly Route[] {
  const requireAllowed = () => {
    if (forgottenPathOf(needs) === null) throw new AuthError('not_found');
  };
  const show = route(['GET', 'HEAD'], forgottenPath, {
    ...common,
    summary: 'Show the page on which a person asks for a mail to choose a new password',
    answers: { 200: somePage },
    refusals: ['not_found'],
    handler(context) {
      requireAllowed();
      return page(forgottenPage(needs.views(context), forgottenPath));
    },
  });
  const ask = route('POST', forgottenPath, {
    ...common,
    summary: 'Ask for a mail to choose a new password; the answer is the same for every name',
    answers: { 200: somePage },
    refusals: ['not_found', 'rate_limited'],
    body: {
      json: false,
      form: true,
      schema: z.object({ name: z.string().max(256).describe('User name, or verified address') }),
    },
    async handler(context, { body: { name } }) {
      requireAllowed();
      const view = needs.views(context);
      const language = view.language.tag;
      const issuer = issuerForLinks(context, needs.config.listeners);
      await askForReset(needs, { name, language, issuer }, context.origin);
      return page(forgottenDonePage(view));
    },
  });
  return [show, ask];
}
