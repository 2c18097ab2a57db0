import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { AuthRequestSealer } from '../../oidc/auth-request-id.ts';
import { type LoginFlowNeeds, requireOpen, submitPrimary } from '../../oidc/login-flow.ts';
import { openAuthRequest } from '../../oidc/open-auth-request.ts';
import { loginPage } from '../../pages/login.ts';
import { type Answer, json, page } from '../answer.ts';
import { clientInfoFields, clientInfoOfFields } from '../client-info-input.ts';
import { csrText } from '../edge/csr-text.ts';
import { errorTable } from '../errors.ts';
import { wantsHtml } from '../negotiate.ts';
import { bearerTokens } from '../presented-tokens.ts';
import type { RequestContext } from '../request-context.ts';
import { type Route, route } from '../routes.ts';
import { authRequestIdIn, authRequestIdMembers } from './auth-request-id-input.ts';
import { originOf } from './bind-point.ts';
import { bindBrowser, browserOfStep } from './browser-binding.ts';
import { formTarget } from './form-target.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';
import { loginStepFor } from './totp-pages.ts';

/** The first is that of the specification; the other is where existing SDKs send passwords. */
const paths = ['/oidc/login/username', '/oidc/login/password'] as const;

export const configTypes = z
  .union([z.string(), z.array(z.string().max(100)).max(32)])
  .optional()
  .transform((value) => (value === undefined ? [] : typeof value === 'string' ? [value] : value));

/** Asks for a certificate of the session (PEM), which then comes with the tokens. */
export const csrPem = csrText.optional();

const loginQuery = z.object(authRequestIdMembers);
const loginBody = z.object({
  ...authRequestIdMembers,
  username: z.string(),
  password: z.string(),
  configTypes,
  csrPem,
  ...clientInfoFields,
});

type UsernameLoginNeeds = LoginFlowNeeds & { readonly sealer: AuthRequestSealer };

/** `/oidc/login/username` (spec 4.3): the page for people, and the endpoint behind it for every client. */
export function usernameLoginRoutes(needs: UsernameLoginNeeds): readonly Route[] {
  return paths.flatMap((path) => routesAt(needs, path));
}

function routesAt(needs: UsernameLoginNeeds, path: string): readonly Route[] {
  const show = route({
    methods: ['GET'],
    summary: 'Begin a login with a user name and a password',
    answers: entryAnswers,
    refusals: stepRefusals,
    path,
    api: 'oidc',
    guard: 'anonymous',
    errors: 'html-or-edge',
    query: loginQuery,
    async handler(context, { query }) {
      const id = authRequestIdIn(query);
      const authRequest = openAuthRequest(needs, id, originOf(context), browserOfStep(context));
      await requireOpen(needs, authRequest);
      const headers = { 'auth-request-id': id };
      if (!wantsHtml(context.headers.accept)) {
        return json(
          { authRequestId: id, httpMethod: 'POST', httpUrl: path, fields: ['username', 'password'] },
          { headers },
        );
      }
      // The cookie here, and not with the password: a person who is lured here is bound before giving it.
      return form(authRequest, id, {
        headers: { ...headers, ...bindBrowser(needs.random, context).headers },
      });
    },
  });

  const submit = route({
    methods: ['POST'],
    summary: 'Log in with a user name and a password',
    answers: stepAnswers,
    refusals: primaryRefusals,
    path,
    api: 'oidc',
    guard: 'anonymous',
    errors: 'html-or-edge',
    query: loginQuery,
    body: { json: true, form: true, schema: loginBody },
    async handler(context, { query, body }) {
      const id = authRequestIdIn(query, body);
      const origin = originOf(context);
      const authRequest = openAuthRequest(needs, id, origin, browserOfStep(context));
      const credentials = { method: 'password', username: body.username, password: body.password } as const;
      try {
        const tokens = bearerTokens(context.authorization);
        return loginStepFor(
          { context, authRequest, authRequestId: id },
          await submitPrimary(needs, authRequest, credentials, body.configTypes, tokens, origin, {
            csrPem: body.csrPem,
            clientInfo: clientInfoOfFields(body),
          }),
        );
      } catch (error) {
        if (
          error instanceof AuthError &&
          error.code === 'invalid_auth' &&
          wantsHtml(context.headers.accept)
        ) {
          return refusedForm(context, authRequest, id, body.username, error);
        }
        throw error;
      }
    },
  });
  return [show, submit];
}

/** The page again, with the status that a JSON client gets. */
function refusedForm(
  context: RequestContext,
  authRequest: AuthRequest,
  id: string,
  username: string,
  error: AuthError,
): Answer {
  return form(authRequest, id, {
    status: errorTable[error.code].status,
    username,
    failure: { referenceId: context.requestId },
  });
}

function form(
  authRequest: AuthRequest,
  id: string,
  options: {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly username?: string;
    readonly failure?: { readonly referenceId: string };
  },
): Answer {
  const html = loginPage({
    action: paths[0],
    authRequestId: id,
    username: options.username ?? '',
    failure: options.failure ?? null,
  });
  return page(html, {
    ...(options.status === undefined ? {} : { status: options.status }),
    headers: options.headers ?? {},
    formTargets: [formTarget(authRequest.redirectUri)],
  });
}
