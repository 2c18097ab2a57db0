import { z } from 'zod';
import type { AuthRequest } from '../../model/auth-request.ts';
import { type PrimaryMethod, primaryMethods } from '../../model/login.ts';
import { responseModes, validateAuthorizationRequest } from '../../oidc/flow/authorization-request.ts';
import { callbackPath, followCallback } from '../../oidc/flow/callback.ts';
import { answerSignedIn } from '../../oidc/flow/continue-signed-in.ts';
import { askedRequest, pushRequest } from '../../oidc/flow/pushed-request.ts';
import { joined, parameter } from '../../oidc/parameters.ts';
import type { OidcServices } from '../../oidc/services.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import { SECOND } from '../../platform/clock.ts';
import { languageCookies } from '../pages/views.ts';
import { htmlType, json, jsonType, redirect } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  anonymous,
  byLinkAnswer,
  contentAnswer,
  documentAnswer,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
} from '../request/route.ts';
import { bindBrowser, bindingsOf } from './browser-binding.ts';
import { oidcBindPointOf, type PageServices } from './login-step.ts';
import { signedInBrowser } from './signed-in.ts';
import { handoverAnswer } from './step-answers.ts';
import { clientFields } from './token.ts';

/** Path segment of the login page of each primary method (spec 4.2). */
const segments: Readonly<Record<PrimaryMethod, string>> = {
  password: 'username',
  cert: 'cert',
  'ext-jwt': 'ext-jwt',
  passkey: 'passkey',
};

/** Where the flow starts. Existing SDKs look for it at the second path; both serve every client. */
const paths = ['/oidc/authorization', '/oidc/authorize'] as const;

/** The supported parameters (spec 4.2, OIDC Core 3.1.2.1). oidc/ judges them. */
export const authorizationParameters = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string(),
  code_challenge: z.string(),
  code_challenge_method: z.literal('S256'),
  dpop_jkt: z.string().optional(),
  state: z.string().optional(),
  nonce: z.string().optional(),
  ui_locales: z.string().optional(),
  login_hint: z.string().optional(),
  method: z.enum(primaryMethods).optional(),
  response_mode: z.enum(responseModes).optional(),
  prompt: z.string().optional(),
  max_age: z.string().optional(),
  acr_values: z.string().optional(),
  id_token_hint: z.string().optional(),
  configTypes: z.array(z.string()).optional(),
});

/**
 * GET and POST `/oidc/authorization` (spec 4.2, OIDC Core 3.1.2.1): answers with the login URL and stores nothing, or
 * with the code if the browser is signed in.
 */
export function authorizationRoutes(needs: PageServices): readonly Route[] {
  return paths.map((path) => authorizationRoute(needs, path));
}

function authorizationRoute(needs: PageServices, path: string): Route {
  return route(['GET', 'POST'], path, {
    ...anonymous('oidc', 'counted', 'html-or-oauth'),
    summary: 'Begin a login (RFC 6749 section 4.1.1, with PKCE)',
    answers: {
      200: contentAnswer(htmlType, 'The form that brings the answer to the client, where it asks for one'),
      303: byLinkAnswer,
      302: redirectAnswer(
        'To the login page; or to the client, with an error that it may learn or with a code, if the person is signed in',
      ),
    },
    produces: [jsonType, htmlType],
    refusals: ['invalid_client', 'could_not_validate'],
    acceptsForeignPages:
      'applications begin a login with a form (OpenID Connect Core 3.1.2.1); nothing is stored, and GET does the same',
    described: { query: authorizationParameters, body: authorizationParameters },
    query: anyParameters,
    body: { json: false, form: true, schema: anyParameters },
    async handler(context, { query, body }) {
      const bindPoint = oidcBindPointOf(context);
      const sent = body === undefined ? query : joined(query, body);
      const { parameters, pushedAs } = askedRequest(needs, sent, bindPoint.issuer);
      // Without a cookie that counts, the browser is not signed in.
      if (!context.sender.isPerson)
        return redirect(
          loginPage(
            needs,
            context,
            validateAuthorizationRequest(needs, parameters, { bindPoint, browser: null, pushedAs }),
          ),
        );
      const { binding, headers } = bindBrowser(needs.random, context);
      const browser = await signedInBrowser(needs, context);
      const from = { binding, session: browser.session };
      const authRequest = validateAuthorizationRequest(needs, parameters, {
        bindPoint,
        browser: from,
        pushedAs,
      });
      const cookies = [
        headers['set-cookie'],
        ...languageCookies(context, parameter(parameters, 'ui_locales')),
      ];
      const answer = await answerSignedIn(needs, authRequest, browser);
      if (answer.kind === 'log-in' || answer.kind === 'choose') {
        const location =
          answer.kind === 'choose'
            ? pageOf(loginPaths.continue, needs, authRequest)
            : loginPage(needs, context, authRequest);
        return redirect(location, { headers: { 'set-cookie': cookies } });
      }
      // The second redirect of the compatibility profile requires the binding cookie.
      const handed = handoverAnswer(() => needs.views(context), answer);
      return { ...handed, headers: { ...handed.headers, 'set-cookie': cookies } };
    },
  });
}

function loginPage(needs: PageServices, context: RequestContext, authRequest: AuthRequest): string {
  const segment = segments[authRequest.requestedMethod ?? defaultMethod(context)];
  return pageOf(`/oidc/login/${segment}`, needs, authRequest);
}

function pageOf(path: string, { sealer }: PageServices, authRequest: AuthRequest): string {
  return `${path}?authRequestID=${sealer.seal(authRequest)}`;
}

/** Without a hint, the TLS connection decides (spec 4.2). */
function defaultMethod(context: RequestContext): PrimaryMethod {
  return context.sender.certificates === null ? 'password' : 'cert';
}

const pushedSchema = schemaNamed('PushedAuthorizationRequest', {
  request_uri: z.string(),
  expires_in: z.int(),
});

/** POST `/oidc/par` (RFC 9126 2). */
export function pushedRequestRoute(needs: OidcServices): Route {
  return route('POST', '/oidc/par', {
    ...anonymous('oidc', 'counted-unless-proven', 'oauth'),
    // A public client can push without a proof: such a request costs less than one at the authorization endpoint.
    summary: 'Push an authorization request (RFC 9126)',
    answers: { 201: documentAnswer(pushedSchema, 'The request_uri for the authorization endpoint') },
    described: { body: authorizationParameters.extend(clientFields) },
    body: { json: false, form: true, schema: anyParameters },
    refusals: [
      'invalid_client',
      'client_not_authenticated',
      'invalid_dpop_proof',
      'use_dpop_nonce',
      'could_not_validate',
      'invalid_scope',
      'invalid_target',
      'redirect_uri_not_registered',
      'registration_not_supported',
      'request_not_supported',
      'unsupported_response_type',
    ],
    async handler(context, { body }) {
      const basic = context.basic;
      const { proof } = context;
      const pushed = await pushRequest(needs, { parameters: body, basic, proof }, oidcBindPointOf(context));
      // Anybody can make a proof, and checking it costs something.
      context.hasProven = proof === null || pushed.isAuthenticated;
      return json({ request_uri: pushed.requestUri, expires_in: pushed.expiresIn / SECOND }, { status: 201 });
    },
  });
}

/** GET `/oidc/authorize/callback?id=`: the second redirect after a login by a client of the compatibility profile. */
export function callbackRoute(needs: PageServices): Route {
  return route('GET', `/oidc${callbackPath}`, {
    ...anonymous('oidc', 'counted', 'html-or-oauth'),
    summary: 'Follow the second redirect of a finished login (compatibility profile)',
    answers: {
      200: contentAnswer(htmlType, 'The form that brings the code to the client, where it asks for one'),
      302: redirectAnswer('To the redirect URI, with the code'),
    },
    refusals: ['auth_request_unknown'],
    query: z.object({ id: z.string() }),
    handler: (context, { query }) =>
      handoverAnswer(
        () => needs.views(context),
        followCallback(needs, { id: query.id, browser: bindingsOf(context) }, context.origin),
      ),
  });
}
