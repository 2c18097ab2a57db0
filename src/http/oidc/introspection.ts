import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { accessTokenTypes } from '../../model/tokens.ts';
import { authenticateClient, hasClientProof } from '../../oidc/grants/authenticate-client.ts';
import { type IntrospectionCaller, introspect } from '../../oidc/introspection.ts';
import type { Parameters } from '../../oidc/parameters.ts';
import { userInfo } from '../../oidc/userinfo.ts';
import { json } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import { enforceGuard } from '../request/guard.ts';
import { presentedTokens, type RequestContext } from '../request/request-context.ts';
import { anonymous, documentAnswer, type Route, route, schemaNamed } from '../request/route.ts';
import type { PageServices } from './login-step.ts';

const introspectionSchema = z
  .union([
    z.strictObject({ active: z.literal(false) }),
    z.strictObject({
      active: z.literal(true),
      token_type: z.enum(accessTokenTypes).optional(),
      scope: z.string(),
      client_id: z.string(),
      username: z.string(),
      sub: z.string(),
      aud: z.union([z.string(), z.array(z.string())]),
      iss: z.url(),
      exp: z.int(),
      iat: z.int(),
      jti: z.string().optional(),
      amr: z.array(z.string()),
      auth_time: z.int(),
      z_asid: z.string(),
      cnf: z.strictObject({ 'x5t#S256': z.string().optional(), jkt: z.string().optional() }).optional(),
    }),
  ])
  .meta({ id: 'Introspection' });

/** oidc/ judges it. */
const introspectionParameters = z.object({ token: z.string(), token_type_hint: z.string().optional() });

/**
 * POST `/oidc/introspect` (RFC 7662 2.1), also where existing SDKs look for it. Callers authenticate as a confidential
 * client or with an access token; 2.1 names both ways.
 */
export function introspectionRoutes(needs: PageServices): readonly Route[] {
  return ['/oidc/introspect', '/oidc/oauth/introspect'].map((path) =>
    route('POST', path, {
      ...anonymous('oidc', 'counted-unless-proven', 'oauth'),
      summary: 'Ask whether a token is valid now (RFC 7662)',
      answers: { 200: documentAnswer(introspectionSchema, 'Whether the token is valid, and its claims') },
      described: { body: introspectionParameters },
      body: { json: false, form: true, schema: anyParameters },
      refusals: ['unauthorized', 'invalid_client', 'client_not_authenticated'],
      async handler(context, { body }) {
        const caller = await callerOf(needs, context, body);
        return json(await introspect(needs, caller, body), { headers: { pragma: 'no-cache' } });
      },
    }),
  );
}

/** @throws AuthError client_not_authenticated, unauthorized */
async function callerOf(
  needs: PageServices,
  context: RequestContext,
  parameters: Parameters,
): Promise<IntrospectionCaller> {
  const basic = context.basic;
  if (hasClientProof({ parameters, basic })) {
    const { issuer } = context;
    const client = await authenticateClient(needs, { parameters, basic, issuer });
    // A public client proves nothing: anybody can name it.
    if (client.registered === null || client.registered.tokenEndpointAuthMethod === 'none')
      throw new AuthError('client_not_authenticated', { detail: 'a public client proves nothing' });
    return { kind: 'client', clientId: client.clientId };
  }
  const principal = await needs.authenticate(presentedTokens(context));
  enforceGuard('full', principal);
  return { kind: 'session', ...principal };
}

const userInfoSchema = schemaNamed('UserInfo', {
  sub: z.string(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  groups: z.array(z.string()).optional(),
});

/** GET and POST `/oidc/userinfo` (OIDC Core 5.3). The token is in the Authorization header, or in a form (RFC 6750 2.2). */
export function userInfoRoute(needs: PageServices): Route {
  return route(['GET', 'HEAD', 'POST'], '/oidc/userinfo', {
    api: 'oidc',
    guard: 'full',
    errors: 'oauth',
    summary: 'Read claims about the caller (OIDC Core 5.3)',
    answers: { 200: documentAnswer(userInfoSchema, 'The claims') },
    refusals: ['insufficient_scope', 'could_not_validate', 'could_not_parse_body'],
    takesFormToken: true,
    handler: async (context) => json(await userInfo(needs, context.principal)),
  });
}
