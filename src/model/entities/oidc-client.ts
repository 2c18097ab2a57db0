import type { Millis } from '../../platform/time-units.ts';
import type { OidcClientId, OidcClientSecretId } from '../ids.ts';
import * as field from './entity.ts';
import { entity, type Stored } from './entity.ts';

/** RFC 6749 2.1: `confidential` for a client that can keep a secret. */
const oidcClientTypes = ['public', 'confidential'] as const;

/** How a client proves who it is at the token endpoint (OIDC Core 9). */
export const clientAuthMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** Whether a client that authenticates so has a secret. */
export function usesSecret(method: ClientAuthMethod): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

/** Algorithms for the ID tokens of a registered client; keys for both always exist. */
export const clientSigningAlgs = ['RS256', 'ES256'] as const;

/** Claims that an application can get, by scope (OIDC Core 5.4). */
export const claimsOfScope = {
  profile: ['name', 'preferred_username'],
  email: ['email'],
  groups: ['groups'],
} as const;
export type MappedClaim = (typeof claimsOfScope)[keyof typeof claimsOfScope][number];

/** All scopes that a registered client may have. */
export const clientScopes = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const;

export const oidcClientEntity = entity<OidcClientId>()({
  kind: 'oidc-client',
  table: 'oidc_clients',
  collection: 'oidc-clients',
  document: 'OidcClient',
  noun: 'an OIDC client',
  hasChosenId: true,
  fields: {
    /** Unique. */
    name: field.name({ isListed: true }),
    type: field.choice(oidcClientTypes, { isListed: true }),
    /** Its start page, and where it begins a login by itself (OIDC Core 4): how people open it from the account page. */
    clientUri: field.text({ isNullable: true }),
    initiateLoginUri: field.text({ isNullable: true }),
    logoUri: field.picture({ isNullable: true, description: 'data:image/png;base64,… of at most 16 KiB' }),
    redirectUris: field.texts({ default: [], isSet: true }),
    postLogoutRedirectUris: field.texts({ default: [], isSet: true }),
    /** The default depends on the type. */
    tokenEndpointAuthMethod: field.choice(clientAuthMethods, { isOptional: true, column: 'auth_method' }),
    /** The keys that sign its assertions; null: none, or at `jwksUri`. */
    jwks: field.jwkSet({ isNullable: true }),
    jwksUri: field.text({ isNullable: true }),
    /** False for confidential clients only. */
    requirePkce: field.flag({ default: true }),
    /** Whether a request must be pushed (RFC 9126). */
    requirePushedAuthorizationRequests: field.flag({ default: false }),
    /** Whether its tokens must be bound to a key (RFC 9449). */
    requireDpop: field.flag({ default: false }),
    /** The default depends on whether the FAPI 2.0 profile applies. */
    idTokenSigningAlg: field.choice(clientSigningAlgs, { isOptional: true }),
    /** Where it is told that a session has ended (OIDC Back-Channel Logout 1.0); null: it is not. */
    backchannelLogoutUri: field.text({ isNullable: true }),
    /** Whether it needs `sid` for that. Logout tokens always have it. */
    backchannelLogoutSessionRequired: field.flag({ default: false }),
    /** All that it may request. */
    scopes: field.texts({ default: clientScopes, isSet: true }),
    /** Kept once a login has asked for one; read without those that are in `scopes` by now. */
    droppedScopes: field.texts({
      isDerived: true,
      isSet: true,
      description:
        'Scopes that finished logins asked for and that are not among `scopes`, so they were dropped',
    }),
    /** Whether its access tokens also work for the Edge APIs. */
    apiAccess: field.flag({ default: false, isListed: true }),
    /** Further audiences that it may request (RFC 8707). */
    resources: field.texts({ default: [], isSet: true }),
    /** The identities that may use it: those with one of these; empty: all. */
    allowedRoleAttributes: field.attributes({ default: [] }),
    /** Where claims come from: `name`, `username`, `email`, `externalId`, `roleAttributes` or `tags.NAME`. */
    claims: field.pairs<MappedClaim>()({ default: {} }),
    /** Null: as configured for the server. */
    accessTokenDuration: field.duration({ isNullable: true }),
    refreshTokenDuration: field.duration({ isNullable: true }),
    tags: field.tags(),
  },
  arguments: { type: 'confidential when it can keep a secret' },
  options: {
    id: 'its client_id (default: a new one)',
    clientUri: ['<url>', 'its start page, which people find on the account page'],
    initiateLoginUri: ['<url>', 'https address at which it begins a login, to open it from the account page'],
    logoUri: ['--logo-file <file>', 'PNG picture of at most 16 KiB, shown there; empty: none'],
    redirectUris: 'where codes may be sent',
    postLogoutRedirectUris: 'where browsers may go after logout',
    tokenEndpointAuthMethod: [
      '--auth-method <method>',
      'how it proves itself (default: client_secret_basic for a confidential one); a secret may be in header or form',
    ],
    jwksUri: ['<url>', 'https address of its keys, for private_key_jwt; keys themselves go into --file'],
    requireDpop: 'give it only tokens that are bound to a key (DPoP, RFC 9449)',
    requirePushedAuthorizationRequests: 'refuse logins whose request was not pushed (RFC 9126)',
    requirePkce: 'refuse logins without PKCE (default); --no- for a confidential client that cannot do it',
    idTokenSigningAlg: [
      '--id-token-alg <alg>',
      'algorithm of its ID tokens (default: RS256; ES256 with FAPI 2.0)',
    ],
    backchannelLogoutUri: ['<url>', 'https address to which logout tokens are sent when a session ends'],
    backchannelLogoutSessionRequired: 'require sid in logout tokens, which always have it',
    scopes: 'among openid, profile, email, groups, offline_access (default: all)',
    apiAccess: 'let its tokens work at the Edge APIs too',
    resources: 'URIs for which it may ask tokens (RFC 8707)',
    allowedRoleAttributes: 'only for identities with one of these (default: for all)',
    claims: ['--claim <name=source>', 'such as email=tags.mail; may be repeated; an update replaces all'],
    accessTokenDuration: 'such as 5m, at most that of the server',
    refreshTokenDuration: 'the same for refresh tokens',
  },
});

/** An application that logs people in here, registered by an administrator. Its id is the `client_id`. */
export type OidcClient = Stored<typeof oidcClientEntity>;

/**
 * Whether the FAPI 2.0 Security Profile applies to a client: it authenticates with a key, must push its requests and
 * gets only bound tokens. docs/decisions/certified-plans.md says what follows.
 */
export function isFapiClient({
  tokenEndpointAuthMethod: method,
  requirePushedAuthorizationRequests: mustPush,
  requireDpop,
}: {
  readonly [Name in 'tokenEndpointAuthMethod' | 'requirePushedAuthorizationRequests' | 'requireDpop']?:
    | OidcClient[Name]
    | undefined;
}): boolean {
  return method === 'private_key_jwt' && mustPush === true && requireDpop === true;
}

/** Algorithms for such a client's assertions and its DPoP proofs (FAPI 2.0 Security Profile 5.4.1). */
export const fapiAlgorithms: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** A client's secret, stored only as a hash. */
export interface OidcClientSecret {
  readonly id: OidcClientSecretId;
  readonly clientId: OidcClientId;
  /** SHA-256, base64url. */
  readonly hash: string;
  readonly createdAt: Millis;
  /** To the hour. */
  readonly lastUsedAt: Millis | null;
}

/** The maximum at a time: the current one, and its replacement. */
export const mostClientSecrets = 2;
