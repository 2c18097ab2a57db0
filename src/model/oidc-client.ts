import type { Millis } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { OidcClientId, OidcClientSecretId } from './ids.ts';

/** RFC 6749 2.1: `confidential` for a client that can keep a secret. */
export const oidcClientTypes = ['public', 'confidential'] as const;
export type OidcClientType = (typeof oidcClientTypes)[number];

/** How a client proves who it is at the token endpoint (OIDC Core 9). */
export const clientAuthMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** What may sign the ID tokens of a registered client; keys for both always exist. */
export const clientSigningAlgs = ['RS256', 'ES256'] as const;
export type ClientSigningAlg = (typeof clientSigningAlgs)[number];

/** Claims that an application can get, by scope (OIDC Core 5.4). */
export const claimsOfScope = {
  profile: ['name', 'preferred_username'],
  email: ['email'],
  groups: ['groups'],
} as const;
export type MappedClaim = (typeof claimsOfScope)[keyof typeof claimsOfScope][number];

/** All scopes that a registered client may have. */
export const clientScopes = ['openid', 'offline_access', 'profile', 'email', 'groups'] as const;

/** An application that logs people in here, registered by an administrator. */
export interface OidcClient {
  /** The `client_id`; chosen or generated. */
  readonly id: OidcClientId;
  /** Unique. */
  readonly name: string;
  readonly type: OidcClientType;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly tokenEndpointAuthMethod: ClientAuthMethod;
  /** JWK set of the keys that sign its assertions, as JSON text; null: none, or at `jwksUri`. */
  readonly jwks: string | null;
  readonly jwksUri: string | null;
  /** False for confidential clients only. */
  readonly requirePkce: boolean;
  readonly idTokenSigningAlg: ClientSigningAlg;
  /** All that it may request. */
  readonly scopes: readonly string[];
  /** Whether its access tokens also work for the Edge APIs. */
  readonly apiAccess: boolean;
  /** Further audiences that it may request (RFC 8707). */
  readonly resources: readonly string[];
  /** Who may use it: identities with one of these; empty: everybody. */
  readonly allowedRoleAttributes: readonly string[];
  /** Where claims come from: `name`, `username`, `externalId`, `roleAttributes` or `tags.NAME`. */
  readonly claims: Readonly<Partial<Record<MappedClaim, string>>>;
  /** Null: as configured for the server. */
  readonly accessTokenDuration: Millis | null;
  readonly refreshTokenDuration: Millis | null;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

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
