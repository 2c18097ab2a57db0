import { z } from 'zod';
import { discoveryDocument } from '../../oidc/discovery.ts';
import { languages } from '../../pages/texts/languages.ts';
import { SECOND } from '../../platform/clock.ts';
import { jwksMaxAge } from '../../tokens/key-ring.ts';
import { json } from '../request/answer.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import { documentAnswer, type Route, schemaNamed } from '../request/route.ts';
import { publicFor } from '../request/security-headers.ts';
import type { PageServices } from './login-step.ts';

const words = z.array(z.string());
const discoverySchema = schemaNamed('Discovery', {
  issuer: z.url(),
  authorization_endpoint: z.url(),
  pushed_authorization_request_endpoint: z.url(),
  require_pushed_authorization_requests: z.boolean(),
  device_authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url(),
  jwks_uri: z.url(),
  end_session_endpoint: z.url(),
  revocation_endpoint: z.url(),
  introspection_endpoint: z.url(),
  overlay_login_endpoints: z.record(z.string(), z.url()),
  scopes_supported: words,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  subject_types_supported: words,
  id_token_signing_alg_values_supported: words,
  token_endpoint_auth_methods_supported: words,
  token_endpoint_auth_signing_alg_values_supported: words,
  revocation_endpoint_auth_methods_supported: words,
  revocation_endpoint_auth_signing_alg_values_supported: words,
  introspection_endpoint_auth_methods_supported: words,
  introspection_endpoint_auth_signing_alg_values_supported: words,
  code_challenge_methods_supported: words,
  dpop_signing_alg_values_supported: words,
  acr_values_supported: words,
  claims_supported: words,
  ui_locales_supported: words,
  claims_parameter_supported: z.boolean(),
  request_parameter_supported: z.boolean(),
  request_uri_parameter_supported: z.boolean(),
  authorization_response_iss_parameter_supported: z.boolean(),
  backchannel_logout_supported: z.boolean(),
  backchannel_logout_session_supported: z.boolean(),
});
// The other members depend on the key type.
const jwksSchema = schemaNamed('Jwks', {
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string(), use: z.literal('sig'), alg: z.string() })),
});

/** The discovery document at both of its paths (spec 4.1), and the JWKS (RFC 7517 5). */
export function documentRoutes(needs: PageServices): readonly Route[] {
  const cached = publicFor(jwksMaxAge / SECOND);
  const uiLocales = languages.map(({ tag }) => tag);
  const discovery = ['/.well-known/openid-configuration', '/oidc/.well-known/openid-configuration'].map(
    (path) =>
      fixedRoute({
        methods: ['GET', 'HEAD'],
        path,
        api: 'oidc',
        errors: 'oauth',
        readableByAll: true,
        summary: 'Read the discovery document (OIDC Discovery 1.0, RFC 8414)',
        answers: { 200: documentAnswer(discoverySchema, 'The discovery document') },
        madeOf: () => [needs.clients.registered()],
        make: ({ issuer }) => json(discoveryDocument(issuer, { ...needs, uiLocales }), { headers: cached }),
      }),
  );
  const keys = fixedRoute({
    methods: ['GET', 'HEAD'],
    path: '/oidc/keys',
    api: 'oidc',
    errors: 'oauth',
    readableByAll: true,
    summary: 'Read the public keys that sign tokens (RFC 7517)',
    answers: { 200: documentAnswer(jwksSchema, 'The keys') },
    madeOf: () => needs.ring.jwks(needs.clock.now()).keys,
    make: () => json(needs.ring.jwks(needs.clock.now()), { headers: cached }),
  });
  return [...discovery, keys];
}
