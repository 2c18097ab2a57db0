import { z } from 'zod';
import type { GrantNeeds } from '../../oidc/issue-tokens.ts';
import { revokeToken } from '../../oidc/revocation.ts';
import { exchangeForTokens } from '../../oidc/token-endpoint.ts';
import type { AccessTokenVerifier } from '../../tokens/access-token.ts';
import { empty, json } from '../answer.ts';
import { documentAnswer } from '../declared-answers.ts';
import { type Route, route } from '../routes.ts';
import { originOf } from './bind-point.ts';
import { anyParameters, basicCredentials, parametersOf } from './protocol-parameters.ts';

const tokenSchema = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    id_token: z.string(),
    scope: z.string(),
    refresh_token: z.string().optional(),
  })
  .meta({ id: 'TokenResponse' });

/** Judged in oidc/. */
const tokenParameters = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    client_id: z.string(),
    code_verifier: z.string(),
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
    client_id: z.string(),
    scope: z.string().optional(),
  }),
]);
const revocationParameters = z.object({
  token: z.string(),
  token_type_hint: z.string().optional(),
  client_id: z.string().optional(),
});

const formOnly = { json: false, form: true, schema: anyParameters } as const;

/** POST `/oidc/token` (RFC 6749 3.2) and `/oidc/revoke` (RFC 7009 2). The query string is never read. */
export function tokenRoutes(
  needs: GrantNeeds & { readonly accessTokens: AccessTokenVerifier },
): readonly Route[] {
  const token = route({
    methods: ['POST'],
    path: '/oidc/token',
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749 sections 4.1.3, 6)',
    answers: { 200: documentAnswer(tokenSchema, 'The tokens') },
    described: { body: tokenParameters },
    refusals: [
      'invalid_client',
      'invalid_grant',
      'invalid_scope',
      'unauthorized_client',
      'unsupported_grant_type',
      'rate_limited',
    ],
    api: 'oidc',
    guard: 'anonymous',
    errors: 'oauth',
    body: formOnly,
    async handler(context, { body }) {
      const answer = await exchangeForTokens(
        needs,
        parametersOf(body),
        basicCredentials(context.authorization),
        originOf(context),
        context.clientCertificates,
      );
      return json(answer, { headers: { pragma: 'no-cache' } });
    },
  });
  const revoke = route({
    methods: ['POST'],
    path: '/oidc/revoke',
    summary: 'Revoke a token (RFC 7009)',
    answers: { 200: { description: 'Revoked, or never valid', content: {} } },
    described: { body: revocationParameters },
    refusals: ['invalid_client', 'unsupported_token_type'],
    api: 'oidc',
    guard: 'anonymous',
    errors: 'oauth',
    body: formOnly,
    async handler(context, { body }) {
      await revokeToken(
        needs,
        parametersOf(body),
        basicCredentials(context.authorization),
        originOf(context),
      );
      return empty({ status: 200 });
    },
  });
  return [token, revoke];
}
