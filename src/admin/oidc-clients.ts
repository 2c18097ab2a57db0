// Applications that log people in here, as administrators register them. oidc-client-values.ts has the rules of single
// fields.

import { AuthError, existing } from '../errors/auth-error.ts';
import { type Delivery, type DeliveryState, queueOf } from '../model/delivery.ts';
import {
  isFapiClient,
  mostClientSecrets,
  type OidcClient,
  type OidcClientSecret,
  oidcClientEntity,
  usesSecret,
} from '../model/entities/oidc-client.ts';
import { asId, type OidcClientSecretId } from '../model/ids.ts';
import { MINUTE } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import { edgeAudience } from '../tokens/access-token.ts';
import { refusedField } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordSecret } from './admin-call.ts';
import { managed } from './entity-rules.ts';
import {
  acceptableAddress,
  acceptableClaims,
  acceptableClientId,
  acceptableClientScopes,
  acceptableJwks,
  acceptableLogo,
  acceptablePage,
  acceptableResources,
  acceptableUris,
  requireDuration,
} from './oidc-client-values.ts';
import type { AdminServices } from './services.ts';

/** With a client, its sessions end. */
export const oidcClients = managed<typeof oidcClientEntity>({
  entity: oidcClientEntity,
  storeOf: ({ oidcClients: stored }) => stored,
  acceptableId: (id, { builtInClients }) =>
    acceptableClientId(id, new Set([...builtInClients, edgeAudience])),
  defaults: (client) => ({
    tokenEndpointAuthMethod: client.type === 'public' ? 'none' : 'client_secret_basic',
    idTokenSigningAlg: isFapiClient(client) ? 'ES256' : 'RS256',
  }),
  fields: {
    redirectUris: (uris, { readRedirectUri }) => acceptableUris('redirectUris', uris, readRedirectUri),
    postLogoutRedirectUris: (uris, { readRedirectUri }) =>
      acceptableUris('postLogoutRedirectUris', uris, readRedirectUri),
    clientUri: (url) => acceptablePage('clientUri', url),
    initiateLoginUri: (url) => acceptablePage('initiateLoginUri', url),
    logoUri: acceptableLogo,
    jwks: acceptableJwks,
    jwksUri: (url, { limits }) => acceptableAddress('jwksUri', url, limits),
    backchannelLogoutUri: (url, { limits }) => acceptableAddress('backchannelLogoutUri', url, limits),
    scopes: acceptableClientScopes,
    resources: acceptableResources,
    claims: acceptableClaims,
  },
  // Each of them replaces the other.
  follows: ({ jwks, jwksUri }) => ({
    ...(jwks && jwksUri === undefined && { jwksUri: null }),
    ...(jwksUri && jwks === undefined && { jwks: null }),
  }),
  check(client, { durations }, before) {
    refuseContradictions(client);
    const { accessTokenDuration, refreshTokenDuration } = client;
    // The server may have got shorter ones since.
    if (
      accessTokenDuration !== before?.accessTokenDuration ||
      refreshTokenDuration !== before.refreshTokenDuration
    )
      refuseLongDurations(client, durations);
  },
});

/** @throws AuthError not_found */
export async function listClientSecrets(
  needs: AdminServices,
  id: string,
): Promise<readonly OidcClientSecret[]> {
  const client = await oidcClients.get(needs, id);
  return needs.store.oidcClients.listSecrets(client.id);
}

/**
 * The logout tokens of a client that wait, were delivered or were given up, the newest first.
 * @throws AuthError not_found
 */
export async function listLogoutDeliveries(
  needs: AdminServices,
  id: string,
  { state = null, limit }: { readonly state?: DeliveryState | null | undefined; readonly limit: number },
): Promise<readonly Delivery<'logout'>[]> {
  const client = await oidcClients.get(needs, id);
  return needs.store.deliveries.list(queueOf('logout', client.id), state, limit);
}

/**
 * Makes a secret. It can be seen only this once.
 * @throws AuthError not_found
 * @throws AuthError conflict   the client already has the maximum, or uses none
 */
export async function addClientSecret(
  needs: AdminServices,
  by: AdminCall,
  clientId: string,
): Promise<{ readonly id: OidcClientSecretId; readonly secret: string }> {
  const client = await oidcClients.get(needs, clientId);
  if (!usesSecret(client.tokenEndpointAuthMethod))
    throw new AuthError('conflict', {
      description: `The client proves itself by ${client.tokenEndpointAuthMethod}; set tokenEndpointAuthMethod to client_secret_basic or client_secret_post first`,
    });
  const id = asId<OidcClientSecretId>(needs.random.id());
  const secret = needs.random.bytes(32).toString('base64url');
  const added = await actingFor(needs, by).oidcClients.addSecret(
    { id, clientId: client.id, hash: sha256(secret) },
    needs.clock.now(),
  );
  if (added === 'unknown') throw new AuthError('not_found');
  if (added === 'full')
    throw new AuthError('conflict', {
      description: `The client has ${mostClientSecrets} secrets already; delete the one that is no longer used`,
    });
  recordSecret(needs, by, { of: ['oidc-client', clientId], field: 'secrets' });
  return { id, secret };
}

/** @throws AuthError not_found */
export async function deleteClientSecret(
  needs: AdminServices,
  by: AdminCall,
  { clientId, secretId }: { readonly clientId: string; readonly secretId: string },
): Promise<void> {
  const store = actingFor(needs, by).oidcClients;
  existing(await store.deleteSecret(asId(clientId), asId(secretId), needs.clock.now()));
  recordSecret(needs, by, { of: ['oidc-client', clientId], field: 'secrets' });
}

/** @throws AuthError could_not_validate   fields that contradict each other */
function refuseContradictions(client: OidcClient): void {
  const { type, tokenEndpointAuthMethod: method, requirePkce, jwks, jwksUri } = client;
  if (type === 'public' && method !== 'none')
    throw refusedField('tokenEndpointAuthMethod', 'must be none for a public client', method);
  if (type === 'confidential' && method === 'none')
    throw refusedField('tokenEndpointAuthMethod', 'must not be none for a confidential client', method);
  if (type === 'public' && !requirePkce)
    throw refusedField('requirePkce', 'may be false for a confidential client only', requirePkce);
  if (jwks !== null && jwksUri !== null)
    throw refusedField('jwksUri', 'must not be set together with jwks', jwksUri);
  if (method === 'private_key_jwt' && jwks === null && jwksUri === null)
    throw refusedField('jwks', 'or jwksUri is required for private_key_jwt');
}

/** @param server the server's lifetimes; no client may exceed them */
function refuseLongDurations(
  { accessTokenDuration: access, refreshTokenDuration: refresh }: OidcClient,
  server: AdminServices['durations'],
): void {
  requireDuration('accessTokenDuration', access, { least: MINUTE, server: server.accessTokenDuration });
  requireDuration('refreshTokenDuration', refresh, {
    // Spec 5.7: longer than the access token.
    least: (access ?? server.accessTokenDuration) + MINUTE,
    server: server.refreshTokenDuration,
  });
}
