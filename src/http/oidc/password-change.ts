// POST `/oidc/login/password-change`: the step of a login that replaces a password which has to change.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import { PasswordNotAcceptable } from '../../login/password/password-rules.ts';
import { outstandingQueries, replacePassword } from '../../oidc/flow/login-flow.ts';
import type { PasswordProblem } from '../../pages/new-password.ts';
import type { Answer } from '../request/answer.ts';
import { originOf } from '../request/request-context.ts';
import { anonymous, type Route, route } from '../request/route.ts';
import { stepAnswers, stepRefusals } from './login-declarations.ts';
import { authRequestIdMembers, isForPeople, openStep, type PageServices, type Step } from './login-step.ts';
import { loginStepFor, newPasswordPage, passwordChangePath } from './step-answers.ts';

const body = z.object({
  ...authRequestIdMembers,
  password: z.string().describe('The new one'),
  repeated: z.string().optional().describe('Of the form for people'),
});

export function passwordChangeRoute(needs: PageServices): Route {
  return route({
    methods: ['POST'],
    path: passwordChangePath,
    ...anonymous('oidc', 'counted-unless-proven', 'html-or-edge'),
    summary: 'Answer the query for a new password of a login',
    answers: stepAnswers,
    refusals: [
      ...stepRefusals,
      'invalid_auth',
      'conflict',
      'password_not_acceptable',
      'password_change_required',
      'busy',
    ],
    query: z.object(authRequestIdMembers),
    body: { json: true, form: true, schema: body },
    async handler(context, { query, body: { password, repeated, ...ids } }) {
      const step = openStep(needs, context, query, ids);
      if (isForPeople(step) && repeated !== password) return again(needs, step, ['repeated']);
      try {
        const outcome = await replacePassword(needs, step.authRequest, {
          password,
          origin: originOf(context),
        });
        return loginStepFor(needs.signers, step, outcome);
      } catch (error) {
        if (!isForPeople(step) || !isAboutPassword(error)) throw error;
        return again(needs, step, error instanceof PasswordNotAcceptable ? error.rules : ['too-long']);
      }
    },
  });
}

function isAboutPassword(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'password_not_acceptable';
}

/** The form again, as long as only this is outstanding. */
async function again(needs: PageServices, step: Step, problems: readonly PasswordProblem[]): Promise<Answer> {
  const outcome = await outstandingQueries(needs, step.authRequest);
  return outcome.newPassword === null
    ? loginStepFor(needs.signers, step, outcome)
    : newPasswordPage(step, outcome.newPassword, {
        status: errorCodes.password_not_acceptable.status,
        problems,
      });
}
