import { z } from 'zod';
import { accessTokenTypes, tokenTypes } from '../../model/tokens.ts';
import { assertionType } from '../../oidc/grants/client-assertion.ts';
import { deviceCodeGrant } from '../../oidc/grants/grant-device-code.ts';
import { tokenExchangeGrant } from '../../oidc/grants/grant-token-exchange.ts';
import { exchangeForTokens } from '../../oidc/grants/token-endpoint.ts';
import { revokeToken } from '../../oidc/revocation.ts';
import { empty, json } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import { anonymous, documentAnswer, type Route, route, schemaNamed } from '../request/route.ts';
import { oidcBindPointOf, type PageServices } from './login-step.ts';

const sessionCert = z.string().optional().describe('PEM, the certificate first');
const csrPem = z
  .string()
  .optional()
  .describe('PEM of a PKCS #10 request: asks for a certificate of the session');

const tokenSchema = schemaNamed('TokenResponse', {
  access_token: z.string(),
  token_type: z.enum(accessTokenTypes),
  expires_in: z.int(),
  id_token: z.string(),
  scope: z.string(),
  refresh_token: z.string().optional(),
  session_cert: sessionCert,
});

/** For token exchange, which only clients of the compatibility profile have. */
const exchangeSchema = schemaNamed('TokenExchangeResponse', {
  access_token: z.string(),
  issued_token_type: z.enum(tokenTypes),
  token_type: z.enum([...accessTokenTypes, 'N_A']),
  expires_in: z.int(),
  scope: z.string(),
  refresh_token: z.string().optional(),
  session_cert: sessionCert,
});

/** How a client names and authenticates itself. */
export const clientFields = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_assertion_type: z.literal(assertionType).optional(),
  client_assertion: z.string().optional(),
};

/** oidc/ judges them. */
const tokenParameters = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string().optional(),
    resource: z.string().optional(),
    ...clientFields,
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
    scope: z.string().optional(),
    resource: z.string().optional(),
    ...clientFields,
    csr_pem: csrPem,
  }),
  z.object({ grant_type: z.literal(deviceCodeGrant), device_code: z.string(), ...clientFields }),
  z.object({
    grant_type: z.literal(tokenExchangeGrant),
    subject_token: z.string(),
    subject_token_type: z.enum([tokenTypes.accessToken, tokenTypes.refreshToken]),
    requested_token_type: z.enum(tokenTypes).optional(),
    client_id: z.string(),
    scope: z.string().optional(),
    csr_pem: csrPem,
  }),
]);
const revocationParameters = z.object({
  token: z.string(),
  token_type_hint: z.string().optional(),
  ...clientFields,
});

const formOnly = { json: false, form: true, schema: anyParameters } as const;

/**
 * POST `/oidc/token` (RFC 6749 3.2) and `/oidc/revoke` (RFC 7009 2), each also where existing SDKs look for it: the
 * client decides what happens, not the path. The query string is never read.
 */
export function tokenRoutes(needs: PageServices): readonly Route[] {
  return [
    ...['/oidc/token', '/oidc/oauth/token'].map((path) => tokenRoute(needs, path)),
    ...['/oidc/revoke', '/oidc/oauth/revoke'].map((path) => revocationRoute(needs, path)),
  ];
}

const common = {
  ...anonymous('oidc', 'counted-unless-proven', 'oauth'),
  body: formOnly,
} as const;

function tokenRoute(needs: PageServices, path: string): Route {
  return route('POST', path, {
    ...common,
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749 sections 4.1.3, 6, RFC 8628, RFC 8693)',
    answers: { 200: documentAnswer(z.union([tokenSchema, exchangeSchema]), 'The tokens') },
    described: { body: tokenParameters },
    refusals: [
      'invalid_client',
      'client_not_authenticated',
      'invalid_target',
      'invalid_dpop_proof',
      'use_dpop_nonce',
      'invalid_grant',
      'invalid_scope',
      'csr_not_acceptable',
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      'unauthorized_client',
      'unsupported_grant_type',
      'rate_limited',
    ],
    async handler(context, { body }) {
      const answer = await exchangeForTokens(needs, {
        parameters: body,
        basic: context.basic,
        origin: context.origin,
        redirectUris: oidcBindPointOf(context).redirectUris,
        isFromProgram: context.sender.kind === 'program',
        clientCertificates: () => context.sender.certificates,
        proof: context.proof,
        arrivedAt: context.startedAt,
      });
      return json(answer, { headers: { pragma: 'no-cache' } });
    },
  });
}

function revocationRoute(needs: PageServices, path: string): Route {
  return route('POST', path, {
    ...common,
    // Every token is answered alike, so success proves nothing.
    load: 'counted',
    summary: 'Revoke a token (RFC 7009)',
    answers: { 200: { description: 'Revoked, or never valid', content: {} } },
    described: { body: revocationParameters },
    refusals: ['invalid_client', 'client_not_authenticated', 'unsupported_token_type'],
    async handler(context, { body }) {
      const basic = context.basic;
      await revokeToken(needs, { parameters: body, basic }, context.origin);
      return empty({ status: 200 });
    },
  });
}
