import { clientAuthMethods } from '../model/entities/oidc-client.ts';
import { languageTags } from '../model/languages.ts';
import { algorithmsInUse, type SigningAlgorithm } from '../model/signing-key.ts';
import { proofAlgorithms } from '../model/tokens.ts';
import { foreignAlgorithms } from '../platform/jwk/jws-signature.ts';
import { acrValues } from '../tokens/access-token.ts';
import type { ClientRegistry } from './clients.ts';
import { responseModes } from './flow/authorization-request.ts';
import { grantTypes } from './grants/token-endpoint.ts';
import { advertisedScopes } from './parameters.ts';

const provenMethods = clientAuthMethods.filter((method) => method !== 'none');
/** `none` is last, because pac4j takes the first one that is listed, and cannot do this one. */
const tokenMethods = [...provenMethods, 'none'];

/** Paths of the login endpoints below `/oidc/login/` (spec 4.3, 4.4). */
const loginSteps = [
  'username',
  'cert',
  'ext-jwt',
  'passkey',
  'auth-queries',
  'totp',
  'totp/enroll',
  'totp/enroll/verify',
] as const;

/**
 * The discovery document of an issuer (OIDC Discovery 3, RFC 8414 2, RFC 9207 3). It lists only what works.
 * @param issuer ends in `/oidc`; every endpoint is below it
 */
export function discoveryDocument(
  issuer: string,
  { idTokenAlg, clients }: { idTokenAlg: SigningAlgorithm; clients: ClientRegistry },
) {
  const scopes = advertisedScopes(clients);
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorization`,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    require_pushed_authorization_requests: false,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    end_session_endpoint: `${issuer}/end_session`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    overlay_login_endpoints: Object.fromEntries(loginSteps.map((step) => [step, `${issuer}/login/${step}`])),
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    grant_types_supported: grantTypes(clients),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algorithmsInUse(idTokenAlg),
    token_endpoint_auth_methods_supported: tokenMethods,
    token_endpoint_auth_signing_alg_values_supported: foreignAlgorithms,
    revocation_endpoint_auth_methods_supported: tokenMethods,
    revocation_endpoint_auth_signing_alg_values_supported: foreignAlgorithms,
    // Introspection also accepts an access token (RFC 8414 2 allows token types here).
    introspection_endpoint_auth_methods_supported: [...provenMethods, 'Bearer'],
    introspection_endpoint_auth_signing_alg_values_supported: foreignAlgorithms,
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: proofAlgorithms,
    acr_values_supported: acrValues,
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'amr',
      'acr',
      'azp',
      'at_hash',
      'sid',
      'name',
      'preferred_username',
      ...(scopes.includes('email') ? ['email', 'email_verified'] : []),
      ...(scopes.includes('groups') ? ['groups'] : []),
    ],
    ui_locales_supported: languageTags,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  };
}
