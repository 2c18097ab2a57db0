import type { GrantNeeds } from '../../oidc/issue-tokens.ts';
import { revokeToken } from '../../oidc/revocation.ts';
import { exchangeForTokens } from '../../oidc/token-endpoint.ts';
import type { AccessTokenVerifier } from '../../tokens/access-token.ts';
import { empty, json } from '../answer.ts';
import { type Route, route } from '../routes.ts';
import { originOf } from './bind-point.ts';
import { anyParameters, basicCredentials, parametersOf } from './protocol-parameters.ts';

const formOnly = { json: false, form: true, schema: anyParameters } as const;

/** POST `/oidc/token` (RFC 6749 3.2) and `/oidc/revoke` (RFC 7009 2). The query string is never read. */
export function tokenRoutes(
  needs: GrantNeeds & { readonly accessTokens: AccessTokenVerifier },
): readonly Route[] {
  const token = route({
    methods: ['POST'],
    path: '/oidc/token',
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
