import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { type LoginFlowNeeds, requireOpen, submitPrimary } from '../../oidc/flow/login-flow.ts';
import { certificateLoginPage } from '../../pages/login-cert.ts';
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
import { applicationOf, asksForCertificates, certificatePath, signInWays } from './sign-in-ways.ts';
import { loginStepFor } from './totp-pages.ts';

const common = { path: certificatePath, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
const idOnly = z.object(authRequestIdMembers);
const loginBody = z.object({ ...authRequestIdMembers, configTypes, csrPem, ...clientInfoFields });

/**
 * `/oidc/login/cert` (spec 4.3): the certificate is that of the TLS connection, as the handshake proved it. No header
 * can stand for it.
 */
export function certificateLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  const show = route({
    ...common,
    methods: ['GET'],
    summary: 'Begin a login with the certificate of the connection',
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
        return form(needs.signers, step, 200, { ...own, ...headers });
      }
      return json({ authRequestId, httpMethod: 'POST', httpUrl: certificatePath }, { headers: own });
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
      const step = openStep(needs, context, query, body);
      try {
        requireAskedFor(step);
        const credentials = { method: 'cert', chain: context.clientCertificates?.chain ?? null } as const;
        const tokens = bearerTokens(context.authorization);
        const origin = originOf(context);
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
        return form(needs.signers, step, errorTable[error.code].status);
      }
    },
  });
  return [show, submit];
}

/** @throws AuthError invalid_auth   says that no certificate can arrive here, whatever the client has */
function requireAskedFor(step: Step): void {
  if (asksForCertificates(step)) return;
  throw new AuthError('invalid_auth', {
    description: 'Clients are not asked for a certificate at this address; use one where they are',
  });
}

/** @param status that of the refusal, or 200 when nothing was submitted yet */
function form(
  signers: SignerDirectory,
  step: Step,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const html = certificateLoginPage(step.view(), {
    action: certificatePath,
    authRequestId: step.authRequestId,
    application: applicationOf(step),
    isAskedFor: asksForCertificates(step),
    ways: signInWays(signers, step, 'cert'),
    failure: status === 200 ? null : { referenceId: step.context.requestId },
  });
  return loginPageAnswer(step, html, { status, headers });
}
