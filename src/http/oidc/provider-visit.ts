// The way to another provider and back. For browsers only: programs send tokens.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import { asId, type SignerId } from '../../model/ids.ts';
import { replacingSession } from '../../oidc/flow/browser-session.ts';
import { requireOpen } from '../../oidc/flow/login-flow.ts';
import { requireWayBack } from '../../oidc/flow/open-auth-request.ts';
import { type ProviderFailure, returnFromProvider, visitProvider } from '../../oidc/flow/provider-login.ts';
import {
  openVisit,
  type ProviderAnswer,
  type ProviderStep,
  providerCallbackPath,
} from '../../oidc/flow/provider-visit.ts';
import {
  answerOfSignerTest,
  leaveForSignerTest,
  type SignerTestAnswer,
  signerTestPath,
} from '../../oidc/flow/signer-test.ts';
import { isOfNeighbour } from '../../oidc/redirect-uri.ts';
import type { OidcServices } from '../../oidc/services.ts';
import { consolePaths } from '../pages/app-paths.ts';
import { type Answer, type AnswerHeaders, htmlType, redirect } from '../request/answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { anonymous, contentAnswer, type Route, redirectAnswer, route } from '../request/route.ts';
import { bindBrowser, bindingsOf } from './browser-binding.ts';
import type { PageServices } from './login-step.ts';
import {
  authRequestIdMembers,
  bindStep,
  oidcBindPointOf,
  openStep,
  type Step,
  stepOf,
  withPage,
} from './login-step.ts';
import { providerPage, returnPage, secondProviderAnswer } from './provider-pages.ts';
import { sessionCookie } from './session-cookie.ts';
import { pageOfProviderStep, visitPath } from './sign-in-ways.ts';
import { loginStepFor, primaryRefusals, stepAnswers } from './step-answers.ts';

const common = { ...anonymous('oidc', 'counted', 'html-or-edge'), produces: [htmlType] } as const;
const visitQuery = z.object({
  ...authRequestIdMembers,
  signer: z.string().max(100),
  step: z.enum(['primary', 'secondary']),
});
const callbackQuery = z.object({
  state: z.string().max(12_000),
  code: z.string().max(4096).optional(),
  error: z.string().max(1000).optional(),
  iss: z.string().max(2000).optional(),
});

/**
 * GET `/oidc/login/ext-jwt/visit` leads to the provider, and GET `/oidc/login/ext-jwt/test` does so to test a signer.
 * GET `/oidc/login/ext-jwt/callback/:signer` takes the answers of both, because providers know one address; POST takes
 * those of logins that the person must confirm.
 */
export function providerVisitRoutes(needs: PageServices): readonly Route[] {
  const visit = route('GET', visitPath, {
    ...common,
    summary: 'Go to another provider to sign in there',
    answers: {
      200: contentAnswer(htmlType, 'The button that leads there, unless one of our pages has led here'),
      302: redirectAnswer('To the provider'),
    },
    refusals: [...primaryRefusals, 'not_found', 'unavailable'],
    query: visitQuery,
    async handler(context, { query }) {
      const opened = withPage(openStep(needs, context, query), pageOfProviderStep[query.step]);
      const { step, headers } = bindStep(needs, opened);
      await requireOpen(needs, step.authRequest);
      const signerId = asId<SignerId>(query.signer);
      if (context.sender.kind !== 'own-page') return buttonPage(needs, step, { ...query, signerId, headers });
      const login = { authRequest: step.authRequest, step: query.step };
      const outcome = await visitProvider(needs, { signerId, ...login }, context.origin);
      if (outcome.kind === 'redirect') return redirect(outcome.location, { headers });
      return failurePage(needs, step, outcome);
    },
  });

  const test = route('GET', signerTestPath, {
    ...common,
    summary: 'Go to another provider to test its signer',
    answers: { 302: redirectAnswer('To the provider, or back to the console when it cannot be reached') },
    refusals: ['auth_request_unknown', 'could_not_validate', 'not_found'],
    query: z.object({ test: z.string().max(4000) }),
    async handler(context, { query }) {
      // The console opens it. Anywhere else there is nothing to test.
      if (context.sender.kind !== 'own-page') return redirect(consolePaths.page);
      const { binding, headers } = bindBrowser(needs.random, context);
      const left = await leaveForSignerTest(
        needs,
        { link: query.test, browserBinding: binding },
        context.origin,
      );
      return redirect('kind' in left ? left.location : consoleAddress(left), { headers });
    },
  });

  const backPath = `${providerCallbackPath}/:signer`;
  const back = {
    ...common,
    answers: stepAnswers,
    params: z.object({ signer: z.string().max(100) }),
  } as const;
  const callback = route('GET', backPath, {
    ...back,
    summary: 'Return from another provider',
    refusals: [...primaryRefusals, 'not_found', 'unavailable'],
    query: callbackQuery,
    handler: (context, { query, params }) => comeBack(needs, context, { ...params, ...query }),
  });
  const confirm = route('POST', backPath, {
    ...back,
    summary: 'Continue after the return from another provider',
    refusals: [...primaryRefusals, 'not_found', 'unavailable', 'forbidden'],
    body: { json: false, form: true, schema: callbackQuery },
    async handler(context, { body, params }) {
      if (context.sender.kind !== 'own-page') throw new AuthError('forbidden');
      return comeBack(needs, context, { ...params, ...body });
    },
  });
  return [visit, test, callback, confirm];
}

/**
 * Continues with the provider's answer. An attacker who began a login for a program on the person's device may have
 * planted its cookie and led the person straight to the provider. Only our page can ask whether the person meant it.
 */
async function comeBack(
  needs: PageServices,
  context: RequestContext,
  { signer: signerId, ...returned }: z.output<typeof callbackQuery> & { signer: string },
): Promise<Answer> {
  const { code = null, error = null, iss = null, state } = returned;
  const answer: ProviderAnswer = { code, error, iss };
  const { origin } = context;
  const opened = openVisit(needs, { state, signerId, browser: bindingsOf(context) }, origin);
  if (opened.step === 'test') return redirect(consoleAddress(answerOfSignerTest(needs, opened, answer)));
  const authRequest = replacingSession(needs, opened.authRequest, sessionCookie(context));
  const visit = { ...opened, authRequest };
  requireWayBack(needs, authRequest, oidcBindPointOf(context));
  const authRequestId = needs.sealer.seal(authRequest);
  const left = stepOf(needs, { context, authRequest, authRequestId });
  const step = withPage(left, pageOfProviderStep[visit.step]);
  if (context.method !== 'POST' && code !== null && isOfNeighbour(authRequest)) {
    await requireOpen(needs, authRequest);
    return returnPage(step, { state, code, iss });
  }
  const outcome = await returnFromProvider(needs, visit, { answer, origin });
  return outcome.kind === 'failed'
    ? failurePage(needs, step, outcome)
    : loginStepFor(needs.signers, step, outcome);
}

/** The page with the button that leads to the provider. */
function buttonPage(
  { signers }: OidcServices,
  step: Step,
  visit: { step: ProviderStep; signerId: SignerId; headers: AnswerHeaders },
): Answer {
  const { signerId, headers } = visit;
  const shown =
    visit.step === 'primary'
      ? providerPage(signers, step)
      : secondProviderAnswer(signers, step, { signerId });
  return { ...shown, headers: { ...shown.headers, ...headers } };
}

/** In the fragment, which is never sent and appears in no log. */
function consoleAddress({ testId, signerId, answer }: SignerTestAnswer): string {
  const signer = encodeURIComponent(signerId);
  return `${consolePaths.page}/signers/${signer}/tested#${new URLSearchParams({ test: testId, answer })}`;
}

const codes = { refused: 'invalid_auth', cancelled: 'invalid_auth', unreachable: 'unavailable' } as const;

function failurePage({ signers }: PageServices, step: Step, failure: ProviderFailure): Answer {
  const { status } = errorCodes[codes[failure.reason]];
  return failure.step === 'primary'
    ? providerPage(signers, step, { status, failure })
    : secondProviderAnswer(signers, step, { signerId: failure.signer.id, status, failure });
}
