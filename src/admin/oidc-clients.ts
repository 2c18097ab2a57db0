// Applications that log people in here, as administrators register them.

import { AuthError, existing } from '../errors/auth-error.ts';
import { type Delivery, type DeliveryState, queueOf } from '../model/delivery.ts';
import {
  claimsOfScope,
  clientScopes,
  isFapiClient,
  type MappedClaim,
  mostClientSecrets,
  type OidcClient,
  type OidcClientSecret,
  oidcClientEntity,
  usesSecret,
} from '../model/entities/oidc-client.ts';
import { asId, type OidcClientSecretId } from '../model/ids.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import { MINUTE, type Millis } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import { formatDuration } from '../platform/formats/durations.ts';
import { readJwkSet } from '../platform/jwk/jwk-set.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import { edgeAudience } from '../tokens/access-token.ts';
import { acceptablePage, askableAddress, longestUri, refusedField, requireFew } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordSecret } from './admin-call.ts';
import { managed } from './entity-rules.ts';
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

// Rules of the single fields of an OIDC client.

const mostUris = 100;
const mostResources = 20;

/**
 * A chosen client id: only characters that need no encoding in forms, headers and addresses.
 * @param taken ids that already mean something: the built-in clients, and the audience of the Edge APIs
 */
export function acceptableClientId(id: string, taken: ReadonlySet<string>): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id))
    throw refusedField('id', 'must be 1 to 64 letters, digits, dots, dashes and underscores', id);
  if (taken.has(id)) throw refusedField('id', 'is already taken', id);
  return id;
}

/** @param read reads them as the configuration does: exact, or with a star as the whole port */
export function acceptableUris(
  field: 'redirectUris' | 'postLogoutRedirectUris',
  uris: readonly string[],
  read: (text: string) => RedirectUriPattern,
): readonly string[] {
  requireFew(field, uris, mostUris);
  for (const uri of uris) {
    try {
      read(uri);
    } catch (error) {
      throw refusedField(field, error instanceof Error ? error.message : 'cannot be read', uri);
    }
  }
  return [...new Set(uris)];
}

/** Always includes `openid`: without it nothing could be requested. */
export function acceptableClientScopes(scopes: readonly string[]): readonly string[] {
  for (const scope of scopes)
    if (!(clientScopes as readonly string[]).includes(scope))
      throw refusedField('scopes', `must be among ${clientScopes.join(', ')}`, scope);
  if (!scopes.includes('openid')) throw refusedField('scopes', 'must have openid');
  return clientScopes.filter((scope) => scopes.includes(scope));
}

const sources = ['name', 'username', 'email', 'externalId', 'roleAttributes'];
const mappedClaims: readonly string[] = Object.values(claimsOfScope).flat();

export function acceptableClaims(claims: Readonly<Record<string, string>>): OidcClient['claims'] {
  for (const [claim, source] of Object.entries(claims)) {
    if (!mappedClaims.includes(claim))
      throw refusedField('claims', `must be about ${mappedClaims.join(', ')}`, claim);
    if (!sources.includes(source) && !/^tags\..{1,255}$/s.test(source))
      throw refusedField('claims', `must come from ${sources.join(', ')} or tags.NAME`, source);
    if (source === 'roleAttributes' && claim !== 'groups')
      throw refusedField('claims', 'roleAttributes is a list, which only groups can contain', claim);
  }
  return claims as Readonly<Partial<Record<MappedClaim, string>>>;
}

/** RFC 8707 2: absolute, without a fragment. */
export function acceptableResources(resources: readonly string[]): readonly string[] {
  requireFew('resources', resources, mostResources);
  for (const resource of resources) {
    const isFit =
      resource.length <= longestUri &&
      /^[a-z][a-z0-9+.-]*:[\x21\x24-\x7e]+$/.test(resource) &&
      URL.canParse(resource);
    if (!isFit) throw refusedField('resources', 'must be absolute URIs without a fragment', resource);
  }
  return [...new Set(resources)];
}

/** The keys for assertions as they are stored: public ones, at least one of them usable. */
export function acceptableJwks(jwks: object | null): object | null {
  if (jwks === null) return null;
  const text = JSON.stringify(jwks);
  if (text.length > 64 * 1024) throw refusedField('jwks', 'must be at most 64 KiB');
  let set: ReturnType<typeof readJwkSet>;
  try {
    set = readJwkSet(Buffer.from(text));
  } catch {
    throw refusedField('jwks', 'must be a JWK set');
  }
  const isPrivate = set.ignored.some(({ reason }) => reason === 'private');
  if (isPrivate)
    throw refusedField('jwks', 'must have public keys only; make a new key, this one is known now');
  if (set.all.length === 0) throw refusedField('jwks', 'has no key that can be used');
  return jwks;
}

const largestLogo = 16 * 1024;
/** In pixels: a small file may become a large picture. */
const widestLogo = 512;
const pngHead = '89504e470d0a1a0a0000000d49484452';

/** Only pictures that are in the text: one elsewhere would see who looks at it. SVG may contain scripts. */
export function acceptableLogo(uri: string | null): string | null {
  if (uri === null) return null;
  const [, base64 = ''] = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/.exec(uri) ?? [];
  const png = Buffer.from(base64, 'base64');
  if (png.length > largestLogo) throw refusedField('logoUri', `must be at most ${largestLogo / 1024} KiB`);
  const isPng = png.length > 24 && png.subarray(0, 16).toString('hex') === pngHead;
  if (!isPng)
    throw refusedField('logoUri', 'must be data:image/png;base64, with a PNG picture', uri.slice(0, 30));
  if (Math.max(png.readUInt32BE(16), png.readUInt32BE(20)) > widestLogo)
    throw refusedField('logoUri', `must be at most ${widestLogo} pixels wide and high`);
  return uri;
}

/** An address of the application that this service calls. */
export function acceptableAddress(
  field: 'jwksUri' | 'backchannelLogoutUri' | 'url',
  url: string | null,
  limits: OutboundLimits,
): string | null {
  if (url === null) return null;
  if (url.length > longestUri || !url.startsWith('https://') || url.includes('#'))
    throw refusedField(field, 'must be an https URL without a fragment', url.slice(0, 100));
  return askableAddress(field, url, { limits });
}

/**
 * @param least  Millis
 * @param server the server's own value, which is the maximum
 */
export function requireDuration(
  field: 'accessTokenDuration' | 'refreshTokenDuration',
  duration: Millis | null,
  { least, server }: { readonly least: Millis; readonly server: Millis },
): void {
  if (duration === null || (duration >= least && duration <= server)) return;
  const [from, to] = [least, server].map(formatDuration);
  throw refusedField(field, `must be from ${from} to ${to}, what the server has`);
}
