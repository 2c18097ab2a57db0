import { type IntrospectionNeeds, introspect } from '../../oidc/introspection.ts';
import { json } from '../answer.ts';
import { type Route, route } from '../routes.ts';
import { anyParameters, parametersOf } from './protocol-parameters.ts';

/**
 * POST `/oidc/introspect` (RFC 7662 2.1), also where existing SDKs look for it. Callers authenticate with an access
 * token (2.1 has that as one way): clients are public and have nothing else to do it with.
 */
export function introspectionRoutes(needs: IntrospectionNeeds): readonly Route[] {
  return ['/oidc/introspect', '/oidc/oauth/introspect'].map((path) =>
    route({
      methods: ['POST'],
      path,
      api: 'oidc',
      guard: 'full',
      errors: 'oauth',
      body: { json: false, form: true, schema: anyParameters },
      handler: async ({ principal }, { body }) =>
        json(await introspect(needs, principal, parametersOf(body)), { headers: { pragma: 'no-cache' } }),
    }),
  );
}
