// The same change as a command: the words after `overlay-auth`.

import type { Entity, EntityKind } from '../../../src/model/entities/entity.ts';
import { chosenIn, fieldAt, type Values } from './entity-fields.ts';

interface Spelling {
  /** The fields that `create` takes in this order, without an option. */
  readonly args: readonly string[];
  /** Options by the path of their field. Fields without one need a document with `--file`. */
  readonly options: Readonly<Record<string, string>>;
}

/** As `overlay-auth create|update ENTITY --help` lists them. */
export const spellings: { readonly [Kind in EntityKind]?: Spelling } = {
  identity: {
    args: ['name'],
    options: {
      name: '--name',
      type: '--type',
      externalId: '--external-id',
      authPolicyId: '--auth-policy',
      isAdmin: '--admin',
      permissions: '--permission',
      passwordMustChange: '--password-must-change',
      roleAttributes: '--role-attributes',
      tags: '--tag',
      disabled: '--disabled',
      disabledUntil: '--disabled-until',
    },
  },
  'auth-policy': {
    args: ['name'],
    options: {
      name: '--name',
      'primary.updb.allowed': '--password',
      'primary.cert.allowed': '--cert',
      'primary.cert.allowExpiredCerts': '--expired-certs',
      'primary.extJwt.allowed': '--ext-jwt',
      'primary.extJwt.allowedSigners': '--allowed-signers',
      'secondary.requireTotp': '--require-totp',
      'secondary.requireExtJwt': '--require-ext-jwt',
      'primary.updb.minPasswordLength': '--min-password-length',
      'primary.updb.mustChangeAfter': '--must-change-after',
      'primary.updb.maxAttempts': '--max-attempts',
      'primary.updb.lockoutDurationMinutes': '--lockout-minutes',
      tags: '--tag',
    },
  },
  'ext-jwt-signer': {
    args: ['name', 'issuer', 'audience'],
    options: {
      name: '--name',
      enabled: '--enabled',
      issuer: '--issuer',
      audience: '--audience',
      certPem: '--cert',
      jwksEndpoint: '--jwks-endpoint',
      kid: '--kid',
      claimsProperty: '--claims-property',
      useExternalId: '--use-external-id',
      leewaySeconds: '--leeway',
      maxLifetimeSeconds: '--max-lifetime',
      requireVerifiedEmail: '--require-verified-email',
      externalAuthUrl: '--external-auth-url',
      clientId: '--client-id',
      scopes: '--scopes',
      targetToken: '--send',
      enrollToCertEnabled: '--enroll-to-cert',
      enrollToTokenEnabled: '--enroll-to-token',
      enrollAuthPolicyId: '--enroll-auth-policy',
      enrollNameClaimsSelector: '--enroll-name-claim',
      enrollAttributeClaimsSelector: '--enroll-attribute-claim',
      tags: '--tag',
    },
  },
  ca: {
    args: ['name', 'certPem'],
    options: {
      name: '--name',
      isAuthEnabled: '--auth',
      'externalIdClaim.location': '--claim-location',
      'externalIdClaim.matcher': '--claim-matcher',
      'externalIdClaim.matcherCriteria': '--claim-matches',
      'externalIdClaim.parser': '--claim-parser',
      'externalIdClaim.parserCriteria': '--claim-split-at',
      'externalIdClaim.index': '--claim-index',
      tags: '--tag',
    },
  },
  'oidc-client': {
    args: ['name', 'type'],
    options: {
      id: '--id',
      name: '--name',
      redirectUris: '--redirect-uris',
      postLogoutRedirectUris: '--post-logout-redirect-uris',
      tokenEndpointAuthMethod: '--auth-method',
      jwksUri: '--jwks-uri',
      requirePkce: '--require-pkce',
      idTokenSigningAlg: '--id-token-alg',
      scopes: '--scopes',
      apiAccess: '--api-access',
      resources: '--resources',
      allowedRoleAttributes: '--allowed-role-attributes',
      claims: '--claim',
      accessTokenDuration: '--access-token-duration',
      refreshTokenDuration: '--refresh-token-duration',
      tags: '--tag',
    },
  },
};

/** @returns null when no option says one of the changes */
export function updateCommand(entity: Entity, id: string, changes: Values): readonly string[] | null {
  const options = optionsFor(entity, changes);
  return options === null ? null : ['update', entity.kind, id, ...options];
}

/** Values at their default are omitted. @param usual defaults that follow from other fields */
export function createCommand(entity: Entity, draft: object, usual: Values = {}): readonly string[] | null {
  const { args = [] } = spellings[entity.kind] ?? {};
  const { ...chosen } = chosenIn(entity, draft, usual);
  const typed = args.map((name) =>
    fieldAt(entity, name).kind === 'pem' ? file : String(chosen[name] ?? ''),
  );
  const options = optionsFor(
    entity,
    Object.fromEntries(Object.entries(chosen).filter(([name]) => !args.includes(name))),
  );
  return options === null ? null : ['create', entity.kind, ...typed, ...options];
}

/** The command line takes certificates from files. */
const file = 'certificate.pem';

/** A flag and its opposite, lists with commas, pairs one by one, and an empty text for none. */
function optionsFor(entity: Entity, changes: Values): readonly string[] | null {
  const { options = {} } = spellings[entity.kind] ?? {};
  const words = Object.entries(changes).map(([path, value]) => {
    const field = fieldAt(entity, path);
    if (field.kind === 'pem') return value === null ? null : [options[path] ?? '', file];
    if (field.kind === 'object') return wordsOfMembers(options, path, value);
    const option = options[path];
    return option === undefined ? null : wordsOf(option, value);
  });
  return words.every((some) => some !== null) ? words.flat() : null;
}

/** Members at their default are omitted. */
function wordsOfMembers(
  options: Spelling['options'],
  path: string,
  value: unknown,
): readonly string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = Object.entries(value).filter(([, member]) => member !== '' && member !== 0);
  return members.flatMap(([name, member]) => {
    const option = options[`${path}.${name}`];
    return option === undefined ? [] : (wordsOf(option, member) ?? []);
  });
}

function wordsOf(option: string, value: unknown): readonly string[] | null {
  if (typeof value === 'boolean') return [value ? option : option.replace('--', '--no-')];
  if (Array.isArray(value)) return [option, value.join(',')];
  if (typeof value !== 'object' || value === null) return [option, String(value ?? '')];
  const pairs = Object.entries(value);
  // No option removes all of them.
  if (pairs.length === 0) return null;
  return pairs.flatMap(([name, each]) => [option, `${name}=${String(each ?? '')}`]);
}
