import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequestSealer } from '../../oidc/auth-request-id.ts';
import { type LoginFlowNeeds, requireOpen, submitPrimary } from '../../oidc/login-flow.ts';
import { openAuthRequest } from '../../oidc/open-auth-request.ts';
import { certificateLoginPage } from '../../pages/login-cert.ts';
import { type Answer, json, page } from '../answer.ts';
import { clientInfoFields, clientInfoOfFields } from '../client-info-input.ts';
import { errorTable } from '../errors.ts';
import { bearerTokens } from '../presented-tokens.ts';
import { type Route, route } from '../routes.ts';
import { authRequestIdIn, authRequestIdMembers } from './auth-request-id-input.ts';
import { originOf } from './bind-point.ts';
import { bindBrowser, browserOfStep } from './browser-binding.ts';
import { formTarget } from './form-target.ts';
import { configTypes, csrPem } from './login.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';
import { isForPeople, loginStepFor, type Step } from './totp-pages.ts';

const path = '/oidc/login/cert';
const common = { path, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
const idOnly = z.object(authRequestIdMembers);
const loginBody = z.object({ ...authRequestIdMembers, configTypes, csrPem, ...clientInfoFields });

/**
 * `/oidc/login/cert` (spec 4.3): the certificate is that of the TLS connection, as the handshake proved it. No header
 * can stand for it.
 */
export function certificateLoginRoutes(
  needs: LoginFlowNeeds & { readonly sealer: AuthRequestSealer },
): readonly Route[] {
  const show = route({
    ...common,
    methods: ['GET'],
    summary: 'Begin a login with the certificate of the connection',
    answers: entryAnswers,
    refusals: stepRefusals,
    query: idOnly,
    async handler(context, { query }) {
      const id = authRequestIdIn(query);
      const authRequest = openAuthRequest(needs, id, originOf(context), browserOfStep(context));
      await requireOpen(needs, authRequest);
      const headers = { 'auth-request-id': id };
      const step = { context, authRequest, authRequestId: id };
      if (isForPeople(step)) {
        // Bound before the certificate is given, as where a password is.
        return form(step, 200, { ...headers, ...bindBrowser(needs.random, context).headers });
      }
      return json({ authRequestId: id, httpMethod: 'POST', httpUrl: path }, { headers });
    },
  });

  const submit = route({
    ...common,
    methods: ['POST'],
    summary: 'Log in with the certificate of the connection',
    answers: stepAnswers,
    refusals: primaryRefusals,
    query: idOnly,
    body: { json: true, form: true, schema: loginBody },
    async handler(context, { query, body }) {
      const origin = originOf(context);
      const id = authRequestIdIn(query, body);
      const authRequest = openAuthRequest(needs, id, origin, browserOfStep(context));
      const step = { context, authRequest, authRequestId: id };
      const credentials = { method: 'cert', chain: context.clientCertificates?.chain ?? null } as const;
      try {
        const tokens = bearerTokens(context.authorization);
        return loginStepFor(
          step,
          await submitPrimary(needs, authRequest, credentials, body.configTypes, tokens, origin, {
            csrPem: body.csrPem,
            clientInfo: clientInfoOfFields(body),
          }),
        );
      } catch (error) {
        if (!(error instanceof AuthError) || error.code !== 'invalid_auth' || !isForPeople(step)) throw error;
        return form(step, errorTable[error.code].status);
      }
    },
  });
  return [show, submit];
}

/** @param status that of the refusal, or 200 when nothing was submitted yet */
function form(step: Step, status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  const { context, authRequest, authRequestId } = step;
  const html = certificateLoginPage({
    action: path,
    authRequestId,
    otherWay: `/oidc/login/username?authRequestID=${encodeURIComponent(authRequestId)}`,
    failure: status === 200 ? null : { referenceId: context.requestId },
  });
  return page(html, { status, headers, formTargets: [formTarget(authRequest.redirectUri)] });
}
