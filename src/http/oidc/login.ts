import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { type LoginFlowNeeds, requireOpen, submitPrimary } from '../../oidc/flow/login-flow.ts';
import { loginPage } from '../../pages/login.ts';
import { type Answer, json } from '../request/answer.ts';
import { clientInfoFields, clientInfoOfFields } from '../request/client-info-input.ts';
import { errorTable } from '../request/errors.ts';
import { configTypes, csrPem } from '../request/fields.ts';
import { bearerTokens, originOf } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';
import {
  authRequestIdMembers,
  bindStep,
  isForPeople,
  loginPageAnswer,
  openStep,
  type Step,
  type StepNeeds,
} from './login-step.ts';
import { applicationOf, existingPasswordPath, passwordPath, signInWays } from './sign-in-ways.ts';
import { loginStepFor } from './totp-pages.ts';

const paths = [passwordPath, existingPasswordPath] as const;

const loginQuery = z.object(authRequestIdMembers);
const loginBody = z.object({
  ...authRequestIdMembers,
  username: z.string(),
  password: z.string(),
  configTypes,
  csrPem,
  ...clientInfoFields,
});

/** `/oidc/login/username` (spec 4.3): the page for people, and the endpoint behind it for every client. */
export function usernameLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  return paths.flatMap((path) => routesAt(needs, path));
}

function routesAt(needs: LoginFlowNeeds & StepNeeds, path: string): readonly Route[] {
  const common = { path, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
  const show = route({
    ...common,
    methods: ['GET'],
    summary: 'Begin a login with a user name and a password',
    answers: entryAnswers,
    refusals: stepRefusals,
    query: loginQuery,
    async handler(context, { query }) {
      const opened = openStep(needs, context, query);
      await requireOpen(needs, opened.authRequest);
      const own = { 'auth-request-id': opened.authRequestId };
      if (isForPeople(opened)) {
        const { step, headers } = bindStep(needs, opened);
        return form(needs.signers, step, { headers: { ...own, ...headers } });
      }
      const { authRequestId } = opened;
      const fields = ['username', 'password'];
      return json({ authRequestId, httpMethod: 'POST', httpUrl: path, fields }, { headers: own });
    },
  });

  const submit = route({
    ...common,
    methods: ['POST'],
    summary: 'Log in with a user name and a password',
    answers: stepAnswers,
    refusals: primaryRefusals,
    query: loginQuery,
    body: { json: true, form: true, schema: loginBody },
    async handler(context, { query, body }) {
      const origin = originOf(context);
      const step = openStep(needs, context, query, body);
      const credentials = { method: 'password', username: body.username, password: body.password } as const;
      try {
        const tokens = bearerTokens(context.authorization);
        return loginStepFor(
          needs.signers,
          step,
          await submitPrimary(needs, step.authRequest, credentials, body.configTypes, tokens, origin, {
            csrPem: body.csrPem,
            clientInfo: clientInfoOfFields(body),
          }),
        );
      } catch (error) {
        if (!(error instanceof AuthError) || error.code !== 'invalid_auth' || !isForPeople(step)) throw error;
        return form(needs.signers, step, {
          status: errorTable[error.code].status,
          username: body.username,
        });
      }
    },
  });
  return [show, submit];
}

/** The page; with a status, that of the refusal that a JSON client gets. */
function form(
  signers: SignerDirectory,
  step: Step,
  options: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly username?: string;
  },
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
