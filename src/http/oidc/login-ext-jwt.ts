import { z } from 'zod';
import type { AuthRequestSealer } from '../../oidc/auth-request-id.ts';
import { type LoginFlowNeeds, requireOpen, submitPrimary } from '../../oidc/login-flow.ts';
import { openAuthRequest } from '../../oidc/open-auth-request.ts';
import { json } from '../answer.ts';
import { clientInfoFields, clientInfoOfFields } from '../client-info-input.ts';
import { bearerTokens } from '../presented-tokens.ts';
import { type Route, route } from '../routes.ts';
import { authRequestIdIn, authRequestIdMembers } from './auth-request-id-input.ts';
import { originOf } from './bind-point.ts';
import { browserOfStep } from './browser-binding.ts';
import { configTypes, csrPem } from './login.ts';
import { loginStepAnswer } from './login-answer.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';

const path = '/oidc/login/ext-jwt';
const common = { path, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
const idOnly = z.object(authRequestIdMembers);
const loginBody = z.object({ ...authRequestIdMembers, configTypes, csrPem, ...clientInfoFields });

/**
 * `/oidc/login/ext-jwt` (spec 4.3): external JWTs stand in Authorization lines, for the primary proof and, where the
 * policy asks for one, for the secondary proof too, in any order. There is no form for people: whoever has a token
 * of another provider has a program that sends it.
 */
export function externalJwtLoginRoutes(
  needs: LoginFlowNeeds & { readonly sealer: AuthRequestSealer },
): readonly Route[] {
  const show = route({
    ...common,
    methods: ['GET'],
    summary: 'Begin a login with a JWT of another identity provider',
    answers: entryAnswers,
    refusals: stepRefusals,
    query: idOnly,
    async handler(context, { query }) {
      const id = authRequestIdIn(query);
      await requireOpen(needs, openAuthRequest(needs, id, originOf(context), browserOfStep(context)));
      const answer = {
        authRequestId: id,
        httpMethod: 'POST',
        httpUrl: path,
        header: 'Authorization: Bearer',
      };
      return json(answer, { headers: { 'auth-request-id': id } });
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
      const origin = originOf(context);
      const id = authRequestIdIn(query, body);
      const authRequest = openAuthRequest(needs, id, origin, browserOfStep(context));
      const tokens = bearerTokens(context.authorization);
      const credentials = { method: 'ext-jwt', tokens } as const;
      return loginStepAnswer(
        await submitPrimary(needs, authRequest, credentials, body.configTypes, tokens, origin, {
          csrPem: body.csrPem,
          clientInfo: clientInfoOfFields(body),
        }),
      );
    },
  });
  return [show, submit];
}
