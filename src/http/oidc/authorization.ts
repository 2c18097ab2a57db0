import { z } from 'zod';
import { type PrimaryMethod, primaryMethods } from '../../model/login.ts';
import type { ClientRegistry } from '../../oidc/clients.ts';
import { validateAuthorizationRequest } from '../../oidc/flow/authorization-request.ts';
import type { AuthRequestSealer } from '../../oidc/flow/open-auth-request.ts';
import { parameter } from '../../oidc/parameters.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { languageCookies } from '../pages/views.ts';
import { redirect, wantsHtml } from '../request/answer.ts';
import { redirectAnswer } from '../request/declared-answers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { oidcBindPointOf } from './bind-point.ts';
import { bindBrowser } from './browser-binding.ts';
import { anyParameters, parametersOf } from './protocol-parameters.ts';

/** Path segment of the login page of each primary method (spec 4.2). */
const segments: Readonly<Record<PrimaryMethod, string>> = {
  password: 'username',
  cert: 'cert',
  'ext-jwt': 'ext-jwt',
};

/** Where the flow starts; the second is where existing SDKs look for it, whoever asks. */
const paths = ['/oidc/authorization', '/oidc/authorize'] as const;

/** What is understood (spec 4.2, OIDC Core 3.1.2.1); judged in oidc/. */
const authorizationParameters = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string(),
  code_challenge: z.string(),
  code_challenge_method: z.literal('S256'),
  state: z.string().optional(),
  nonce: z.string().optional(),
  ui_locales: z.string().optional(),
  login_hint: z.string().optional(),
  method: z.enum(primaryMethods).optional(),
  configTypes: z.array(z.string()).optional(),
});

/** GET and POST `/oidc/authorization` (spec 4.2, OIDC Core 3.1.2.1): answers with the login URL. Stores nothing. */
export function authorizationRoutes(needs: AuthorizationNeeds): readonly Route[] {
  return paths.map((path) => authorizationRoute(needs, path));
}

interface AuthorizationNeeds {
  readonly clients: ClientRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly sealer: AuthRequestSealer;
}

function authorizationRoute(needs: AuthorizationNeeds, path: string): Route {
  return route({
    methods: ['GET', 'POST'],
    path,
    api: 'oidc',
    guard: 'anonymous',
    errors: 'html-or-oauth',
    summary: 'Begin a login (RFC 6749 section 4.1.1, with PKCE)',
    answers: { 302: redirectAnswer('To the login page; to the client for an error that it may learn of') },
    refusals: ['invalid_client', 'could_not_validate'],
    acceptsForeignPages:
      'applications begin a login with a form (OpenID Connect Core 3.1.2.1); nothing is stored, and GET does the same',
    described: { query: authorizationParameters, body: authorizationParameters },
    query: anyParameters,
    body: { json: false, form: true, schema: anyParameters },
    handler(context, { query, body }) {
      const browser = wantsHtml(context.headers.accept) ? bindBrowser(needs.random, context) : null;
      const parameters = parametersOf(query, body ?? {});
      const bindPoint = oidcBindPointOf(context);
      const authRequest = validateAuthorizationRequest(
        needs,
        bindPoint,
        parameters,
        browser?.binding ?? null,
      );
      const segment = segments[authRequest.requestedMethod ?? defaultMethod(context)];
      const id = needs.sealer.seal(authRequest);
      const location = `/oidc/login/${segment}?authRequestID=${id}`;
      if (browser === null) return redirect(location);
      const cookies = [
        browser.headers['set-cookie'],
        ...languageCookies(context, parameter(parameters, 'ui_locales')),
      ];
      return redirect(location, { headers: { 'set-cookie': cookies } });
    },
  });
}

/** Without a hint the TLS connection decides (spec 4.2). */
function defaultMethod(context: RequestContext): PrimaryMethod {
  return context.clientCertificates === null ? 'password' : 'cert';
}
