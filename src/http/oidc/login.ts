import { z } from 'zod';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { type LoginFlowNeeds, submitPrimary } from '../../oidc/flow/login-flow.ts';
import { loginPage } from '../../pages/login.ts';
import type { Answer } from '../request/answer.ts';
import type { Route } from '../request/route.ts';
import { loginPageAnswer, type Step, type StepNeeds } from './login-step.ts';
import { type PageOptions, primaryLoginRoutes } from './primary-login.ts';
import { applicationOf, existingPasswordPath, passwordPath, signInWays } from './sign-in-ways.ts';

/** `/oidc/login/username` (spec 4.3): the page for people, and the endpoint behind it for every client. */
export function usernameLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  return [passwordPath, existingPasswordPath].flatMap((path) =>
    primaryLoginRoutes(needs, {
      path,
      words: 'a user name and a password',
      fields: { username: z.string(), password: z.string() },
      entry: { fields: ['username', 'password'] },
      page: (step, options) => form(needs.signers, step, options),
      submit({ authRequest, configTypes, bearers, origin, extras }, { username, password }) {
        const credentials = { method: 'password', username, password } as const;
        return submitPrimary(needs, authRequest, credentials, configTypes, bearers, origin, extras);
      },
      again: (step, status, { username }) => form(needs.signers, step, { status, username }),
    }),
  );
}

function form(
  signers: SignerDirectory,
  step: Step,
  options: PageOptions & { readonly username?: string },
): Answer {
  const { status = 200, headers = {}, username = step.authRequest.loginHint ?? '' } = options;
  const html = loginPage(step.view(), {
    action: passwordPath,
    authRequestId: step.authRequestId,
    application: applicationOf(step),
    username,
    ways: signInWays(signers, step, 'password'),
    failure: status === 200 ? null : { referenceId: step.context.requestId },
  });
  return loginPageAnswer(step, html, { status, headers });
}
