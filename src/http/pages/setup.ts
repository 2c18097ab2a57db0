import { z } from 'zod';
import { checkSetupLink, completeSetup, setupPasswordRules } from '../../admin/setup.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import { PasswordNotAcceptable } from '../../login/password/password-rules.ts';
import type { View } from '../../pages/layout.ts';
import {
  type DeadLink,
  deadSetupLinkPage,
  type SetupProblem,
  setupDonePage,
  setupPage,
} from '../../pages/setup.ts';
import { AlreadyTaken } from '../../store/contracts/store.ts';
import { type Answer, htmlType, page } from '../request/answer.ts';
import { anonymous, type Route, route, somePage } from '../request/route.ts';
import { consoleOf } from './app-paths.ts';
import type { Views } from './views.ts';

const path = '/setup';
const statusOfDeadLink: Readonly<Record<DeadLink, number>> = { used: 410, expired: 410, unknown: 404 };

const setupQuery = z.object({ t: z.string().optional() });
const setupBody = z.object({
  t: z.string(),
  username: z.string().trim(),
  password: z.string(),
  repeated: z.string(),
});

export type SetupRouteNeeds = Parameters<typeof completeSetup>[0] & { readonly views: Views };

const common = {
  ...anonymous('pages', 'counted-unless-proven', 'html-or-edge'),
  produces: [htmlType],
} as const;

/**
 * `/setup`: the page of the one-time link for the first administrator. The form contains the token, so only its holder
 * can post it. The token appears in no log line and, because of the referrer policy, in no other request.
 */
export function setupRoutes(needs: SetupRouteNeeds): readonly Route[] {
  const show = route(['GET', 'HEAD'], path, {
    ...common,
    summary: 'Show the page that creates the first administrator',
    answers: { 200: somePage, 404: somePage, 410: somePage },
    query: setupQuery,
    async handler(context, { query }) {
      const view = needs.views(context);
      const { requestId: referenceId } = context;
      const token = query.t ?? '';
      const state = await checkSetupLink(needs, token);
      if (state !== 'usable') return deadLink(view, state, referenceId);
      const rules = await setupPasswordRules(needs);
      const form = { action: path, token, username: '', rules, problems: [], referenceId };
      return page(setupPage(view, form));
    },
  });

  const submit = route('POST', path, {
    ...common,
    summary: 'Create the first administrator',
    answers: { 201: somePage, 400: somePage, 404: somePage, 409: somePage, 410: somePage },
    body: { json: false, form: true, schema: setupBody },
    async handler(context, { body }) {
      const { t: token, username, password, repeated } = body;
      const view = needs.views(context);
      const { requestId: referenceId } = context;
      const again = async (status: number, problems: readonly SetupProblem[]) => {
        const rules = await setupPasswordRules(needs);
        const form = setupPage(view, { action: path, token, username, rules, problems, referenceId });
        const refusal = {
          reason: 'request-refused',
          seen: { facts: [['form', problems.join(', ')]] },
        } as const;
        return page(form, { status, refusal });
      };
      const state = await checkSetupLink(needs, token);
      if (state !== 'usable') return deadLink(view, state, referenceId);
      if (password !== repeated) return again(400, ['repeated']);
      try {
        const result = await completeSetup(needs, { token, username, password }, context.origin);
        if (result.outcome !== 'created') return deadLink(view, result.outcome, referenceId);
        const url = new URL(context.issuer).origin;
        const done = { username: result.username, url, console: consoleOf(context) };
        return page(setupDonePage(view, done), { status: 201 });
      } catch (error) {
        if (!(error instanceof AuthError) || !retryable.has(error.code)) throw error;
        return await again(errorCodes[error.code].status, problemsOf(error));
      }
    },
  });
  return [show, submit];
}

const retryable: ReadonlySet<AuthError['code']> = new Set([
  'password_not_acceptable',
  'invalid_field',
  'conflict',
]);

function problemsOf(error: AuthError): readonly SetupProblem[] {
  if (error instanceof PasswordNotAcceptable) return error.rules;
  if (error.code !== 'conflict') return ['username'];
  return [error.cause instanceof AlreadyTaken ? 'taken' : 'policy'];
}

function deadLink(view: View, state: DeadLink, referenceId: string): Answer {
  return page(deadSetupLinkPage(view, state, referenceId), {
    status: statusOfDeadLink[state],
    refusal: { reason: 'setup-link-dead', seen: { facts: [['link', state]] } },
  });
}
