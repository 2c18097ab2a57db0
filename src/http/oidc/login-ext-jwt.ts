import { z } from 'zod';
import { type LoginFlowNeeds, requireOpen } from '../../oidc/flow/login-flow.ts';
import { submitExternalJwts } from '../../oidc/flow/submit-external-jwt.ts';
import { json } from '../request/answer.ts';
import { clientInfoFields, clientInfoOfFields } from '../request/client-info-input.ts';
import { configTypes, csrPem } from '../request/fields.ts';
import { bearerTokens, originOf } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';
import { authRequestIdMembers, bindStep, isForPeople, openStep, type StepNeeds } from './login-step.ts';
import { providerPage } from './provider-pages.ts';
import { providerPath } from './sign-in-ways.ts';
import { loginStepFor } from './totp-pages.ts';

const common = { path: providerPath, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
const idOnly = z.object(authRequestIdMembers);
const loginBody = z.object({ ...authRequestIdMembers, configTypes, csrPem, ...clientInfoFields });

/**
 * `/oidc/login/ext-jwt` (spec 4.3): external JWTs stand in Authorization lines, for the primary proof and, where the
 * policy asks for one, for the secondary proof too, in any order. After another primary method the secondary one may come
 * alone. People get a page that leads to the providers.
 */
export function externalJwtLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  const show = route({
    ...common,
    methods: ['GET'],
    summary: 'Begin a login with a JWT of another identity provider',
    answers: entryAnswers,
    refusals: stepRefusals,
    query: idOnly,
    async handler(context, { query }) {
      const opened = openStep(needs, context, query);
      await requireOpen(needs, opened.authRequest);
      const { authRequestId } = opened;
      const own = { 'auth-request-id': authRequestId };
      if (isForPeople(opened)) {
        const { step, headers } = bindStep(needs, opened);
        return providerPage(needs.signers, step, { headers: { ...own, ...headers } });
      }
      const header = 'Authorization: Bearer';
      return json({ authRequestId, httpMethod: 'POST', httpUrl: providerPath, header }, { headers: own });
    },
  });

  const submit = route({
    ...common,
    methods: ['POST'],
    summary: 'Log in with a JWT of another identity provider',
    answers: stepAnswers,
    refusals: primaryRefusals,
    query: idOnly,
    body: { json: true, form: true, schema: loginBody },
    async handler(context, { query, body }) {
      const step = openStep(needs, context, query, body);
      const tokens = bearerTokens(context.authorization);
      const origin = originOf(context);
      return loginStepFor(
        needs.signers,
        step,
        await submitExternalJwts(needs, step.authRequest, tokens, body.configTypes, origin, {
          csrPem: body.csrPem,
          clientInfo: clientInfoOfFields(body),
        }),
      );
    },
  });
  return [show, submit];
}
