import type { GrantNeeds } from '../../oidc/issue-tokens.ts';
import { revokeToken } from '../../oidc/revocation.ts';
import { exchangeForTokens } from '../../oidc/token-endpoint.ts';
import { empty, json } from '../answer.ts';
import { type Route, route } from '../routes.ts';
import { originOf } from './bind-point.ts';
import { anyParameters, basicCredentials, parametersOf } from './protocol-parameters.ts';

const formOnly = { json: false, form: true, schema: anyParameters } as const;

/**
 * POST `/oidc/token` (RFC 6749 3.2) and `/oidc/revoke` (RFC 7009 2), each also where existing SDKs look for it: the
 * client decides what is done, not the path. The query string is never read.
 */
export function tokenRoutes(needs: GrantNeeds): readonly Route[] {
  return [
    ...['/oidc/token', '/oidc/oauth/token'].map((path) => tokenRoute(needs, path)),
    ...['/oidc/revoke', '/oidc/oauth/revoke'].map((path) => revocationRoute(needs, path)),
  ];
}

const common = {
  methods: ['POST'],
  api: 'oidc',
  guard: 'anonymous',
  errors: 'oauth',
  body: formOnly,
} as const;

function tokenRoute(needs: GrantNeeds, path: string): Route {
  return route({
    ...common,
    path,
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
}

function revocationRoute(needs: GrantNeeds, path: string): Route {
  return route({
    ...common,
    path,
    async handler(context, { body }) {
      const basic = basicCredentials(context.authorization);
      await revokeToken(needs, parametersOf(body), basic, originOf(context));
      return empty({ status: 200 });
    },
  });
}
