// Applications that log people in here, as administrators register them. oidc-client-values.ts has the rules of single
// fields.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import { asId, type OidcClientId, type OidcClientSecretId } from '../model/ids.ts';
import { mostClientSecrets, type OidcClient, type OidcClientSecret } from '../model/oidc-client.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import { type Clock, MINUTE, type Millis } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import type { OutboundLimits } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import type { NewOidcClient } from '../store/contracts/oidc-clients.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import { edgeAudience } from '../tokens/access-token.ts';
import {
  acceptableName,
  acceptableRoleAttributes,
  acceptableTags,
  refusedField,
  takenRefused,
} from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange, type Some } from './admin-call.ts';
import {
  acceptableClaims,
  acceptableClientId,
  acceptableClientScopes,
  acceptableDuration,
  acceptableJwks,
  acceptableJwksUri,
  acceptableResources,
  acceptableUris,
} from './oidc-client-values.ts';

export interface OidcClientNeeds {
  readonly store: StoreForCallers<'oidcClients'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
  readonly limits: OutboundLimits;
  /** From the configuration. No client may exceed them. */
  readonly durations: { readonly accessTokenDuration: Millis; readonly refreshTokenDuration: Millis };
  /** Ids of the clients that exist without being registered. */
  readonly builtInClients: ReadonlySet<string>;
  readonly readRedirectUri: (text: string) => RedirectUriPattern;
}

/** What an administrator decides. */
export type OidcClientFields = Omit<OidcClient, 'id' | 'createdAt' | 'updatedAt' | 'jwks' | 'claims'> & {
  readonly jwks: object | null;
  readonly claims: Readonly<Record<string, string>>;
};
type Required = 'name' | 'type';
export type NewOidcClientFields = Pick<OidcClientFields, Required> & Some<Omit<OidcClientFields, Required>>;

/** Defaults of the fields that are left out. */
function absent(type: OidcClientFields['type']): Omit<OidcClientFields, Required> {
  return {
    redirectUris: [],
    postLogoutRedirectUris: [],
    tokenEndpointAuthMethod: type === 'public' ? 'none' : 'client_secret_basic',
    jwks: null,
    jwksUri: null,
    requirePkce: true,
    idTokenSigningAlg: 'RS256',
    scopes: ['openid', 'offline_access'],
    apiAccess: false,
    resources: [],
    allowedRoleAttributes: [],
    claims: {},
    accessTokenDuration: null,
    refreshTokenDuration: null,
    tags: {},
  };
}

/**
 * @param wantedId the `client_id`; undefined: a new one
 * @throws AuthError could_not_validate   names the field: not acceptable, or taken
 */
export async function createOidcClient(
  needs: OidcClientNeeds,
  by: AdminCall,
  { wantedId, fields }: { readonly wantedId: string | undefined; readonly fields: NewOidcClientFields },
): Promise<OidcClientId> {
  const taken = new Set([...needs.builtInClients, edgeAudience]);
  const id = asId<OidcClientId>(
    wantedId === undefined ? needs.random.id() : acceptableClientId(wantedId, taken),
  );
  const client = { id, ...acceptable(needs, withDefaults(fields)) };
  const step = actingFor(needs, by).oidcClients.create(client, needs.clock.now());
  await takenRefused({ id, name: fields.name }, step);
  recordChange(needs, by, { action: 'create', entity: 'oidc-client', entityId: id, fields: namesOf(fields) });
  return id;
}

/** @throws AuthError not_found */
export async function getOidcClient(needs: Pick<OidcClientNeeds, 'store'>, id: string): Promise<OidcClient> {
  return existing(await needs.store.oidcClients.find(asId(id)));
}

/** Sets all fields; missing ones get their default. @throws AuthError not_found, could_not_validate */
export function replaceOidcClient(
  needs: OidcClientNeeds,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: NewOidcClientFields },
): Promise<void> {
  return updateOidcClient(needs, by, { id, fields: withDefaults(fields) });
}

/**
 * Changes the given fields; the result must be acceptable as a whole.
 * @throws AuthError not_found, could_not_validate
 */
export async function updateOidcClient(
  needs: OidcClientNeeds,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: Some<OidcClientFields> },
): Promise<void> {
  const { jwks, ...before } = await getOidcClient(needs, id);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  // Each of them replaces the other.
  const keys = { jwks: jwks === null ? null : (JSON.parse(jwks) as object) };
  const replaced = {
    ...(typeof fields.jwks === 'object' && fields.jwks !== null ? { jwksUri: null } : {}),
    ...(typeof fields.jwksUri === 'string' && fields.jwksUri !== '' ? { jwks: null } : {}),
  };
  const changed = { ...replaced, ...given };
  const whole = acceptable(needs, { ...before, ...keys, ...changed });
  // Only what this call changes: somebody else may change the rest meanwhile, or take something away.
  const patch = Object.fromEntries(Object.entries(whole).filter(([name]) => Object.hasOwn(changed, name)));
  const step = actingFor(needs, by).oidcClients.update(before.id, patch, needs.clock.now());
  if (!(await takenRefused({ ...fields }, step))) throw new AuthError('not_found');
  recordChange(needs, by, { action: 'update', entity: 'oidc-client', entityId: id, fields: namesOf(fields) });
}

/** Its sessions end with it. @throws AuthError not_found */
export async function deleteOidcClient(needs: OidcClientNeeds, by: AdminCall, id: string): Promise<void> {
  if (!(await actingFor(needs, by).oidcClients.delete(asId(id), needs.clock.now()))) {
    throw new AuthError('not_found');
  }
  recordChange(needs, by, { action: 'delete', entity: 'oidc-client', entityId: id, fields: [] });
}

/** @throws AuthError not_found */
export async function listClientSecrets(
  needs: Pick<OidcClientNeeds, 'store'>,
  id: string,
): Promise<readonly OidcClientSecret[]> {
  const client = await getOidcClient(needs, id);
  return needs.store.oidcClients.listSecrets(client.id);
}

/**
 * Makes a secret. It can be seen only this once.
 * @throws AuthError not_found
 * @throws AuthError conflict   the client already has the maximum, or uses none
 */
export async function addClientSecret(
  needs: OidcClientNeeds,
  by: AdminCall,
  clientId: string,
): Promise<{ readonly id: OidcClientSecretId; readonly secret: string }> {
  const client = await getOidcClient(needs, clientId);
  if (!usesSecrets(client)) {
    throw new AuthError('conflict', {
      description: `The client proves itself by ${client.tokenEndpointAuthMethod}; set tokenEndpointAuthMethod to client_secret_basic or client_secret_post first`,
    });
  }
  const id = asId<OidcClientSecretId>(needs.random.id());
  const secret = needs.random.bytes(32).toString('base64url');
  const added = await actingFor(needs, by).oidcClients.addSecret(
    { id, clientId: client.id, hash: sha256(secret) },
    needs.clock.now(),
  );
  if (added === 'unknown') throw new AuthError('not_found');
  if (added === 'full') {
    throw new AuthError('conflict', {
      description: `The client has ${mostClientSecrets} secrets already; delete the one that is no longer used`,
    });
  }
  recordChange(needs, by, {
    action: 'update',
    entity: 'oidc-client',
    entityId: clientId,
    fields: ['secrets'],
  });
  return { id, secret };
}

/** @throws AuthError not_found */
export async function deleteClientSecret(
  needs: OidcClientNeeds,
  by: AdminCall,
  { clientId, secretId }: { readonly clientId: string; readonly secretId: string },
): Promise<void> {
  const store = actingFor(needs, by).oidcClients;
  if (!(await store.deleteSecret(asId(clientId), asId(secretId), needs.clock.now()))) {
    throw new AuthError('not_found');
  }
  recordChange(needs, by, {
    action: 'update',
    entity: 'oidc-client',
    entityId: clientId,
    fields: ['secrets'],
  });
}

function usesSecrets({
  tokenEndpointAuthMethod: method,
}: Pick<OidcClient, 'tokenEndpointAuthMethod'>): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

function withDefaults(fields: NewOidcClientFields): OidcClientFields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Sound because `fields` requires those without a default.
  return { ...absent(fields.type), ...Object.fromEntries(given) } as OidcClientFields;
}

/** All fields as they are stored. @throws AuthError could_not_validate */
function acceptable(needs: OidcClientNeeds, fields: OidcClientFields): Omit<NewOidcClient, 'id'> {
  const { accessTokenDuration: longestAccess, refreshTokenDuration: longestRefresh } = needs.durations;
  const accessTokenDuration = acceptableDuration('accessTokenDuration', fields.accessTokenDuration, {
    least: MINUTE,
    server: longestAccess,
  });
  const client = {
    name: acceptableName('name', fields.name),
    type: fields.type,
    redirectUris: acceptableUris('redirectUris', fields.redirectUris, needs.readRedirectUri),
    postLogoutRedirectUris: acceptableUris(
      'postLogoutRedirectUris',
      fields.postLogoutRedirectUris,
      needs.readRedirectUri,
    ),
    tokenEndpointAuthMethod: fields.tokenEndpointAuthMethod,
    jwks: acceptableJwks(fields.jwks),
    jwksUri: acceptableJwksUri(fields.jwksUri, needs.limits),
    requirePkce: fields.requirePkce,
    idTokenSigningAlg: fields.idTokenSigningAlg,
    scopes: acceptableClientScopes(fields.scopes),
    apiAccess: fields.apiAccess,
    resources: acceptableResources(fields.resources),
    allowedRoleAttributes: acceptableRoleAttributes(fields.allowedRoleAttributes),
    claims: acceptableClaims(fields.claims),
    accessTokenDuration,
    refreshTokenDuration: acceptableDuration('refreshTokenDuration', fields.refreshTokenDuration, {
      // Spec 5.7: longer than the access token.
      least: (accessTokenDuration ?? longestAccess) + MINUTE,
      server: longestRefresh,
    }),
    tags: acceptableTags(fields.tags),
  };
  refuseContradictions(client);
  return client;
}

/** @throws AuthError could_not_validate   fields that contradict each other */
function refuseContradictions(client: Omit<NewOidcClient, 'id'>): void {
  const { type, tokenEndpointAuthMethod: method, requirePkce, jwks, jwksUri } = client;
  if (type === 'public' && method !== 'none') {
    throw refusedField('tokenEndpointAuthMethod', 'must be none for a public client', method);
  }
  if (type === 'confidential' && method === 'none') {
    throw refusedField('tokenEndpointAuthMethod', 'must not be none for a confidential client', method);
  }
  if (type === 'public' && !requirePkce) {
    throw refusedField('requirePkce', 'may be false for a confidential client only', requirePkce);
  }
  if (jwks !== null && jwksUri !== null)
    throw refusedField('jwksUri', 'must not be set together with jwks', jwksUri);
  if (method === 'private_key_jwt' && jwks === null && jwksUri === null) {
    throw refusedField('jwks', 'or jwksUri is required for private_key_jwt');
  }
}
