import { z } from 'zod';
import { type IntrospectionNeeds, introspect } from '../../oidc/introspection.ts';
import { json } from '../request/answer.ts';
import { documentAnswer } from '../request/declared-answers.ts';
import { type Route, route } from '../request/route.ts';
import { anyParameters, parametersOf } from './protocol-parameters.ts';

const introspectionSchema = z
  .union([
    z.strictObject({ active: z.literal(false) }),
    z.strictObject({
      active: z.literal(true),
      token_type: z.literal('Bearer').optional(),
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
      cnf: z.strictObject({ 'x5t#S256': z.string() }).optional(),
    }),
  ])
  .meta({ id: 'Introspection' });

/** Judged in oidc/. */
const introspectionParameters = z.object({ token: z.string(), token_type_hint: z.string().optional() });

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
      summary: 'Ask what a token is worth now (RFC 7662)',
      answers: { 200: documentAnswer(introspectionSchema, 'What the token is worth') },
      described: { body: introspectionParameters },
      body: { json: false, form: true, schema: anyParameters },
      handler: async ({ principal }, { body }) =>
        json(await introspect(needs, principal, parametersOf(body)), { headers: { pragma: 'no-cache' } }),
    }),
  );
}
