import { optionsFor } from '../../forms/draft.ts';
import type { OidcClient } from '../../types.ts';

/** What the form of an application can change. JWK sets are left to the command line and the API. */
export type ClientDraft = Omit<OidcClient, 'id' | 'createdAt' | 'updatedAt' | '_links' | 'jwks'>;

/** A new one may choose its id. */
export type NewClientDraft = ClientDraft & { readonly id: string | null };

export function draftOf(client: OidcClient): ClientDraft {
  const { id: _id, createdAt: _made, updatedAt: _changed, _links, jwks: _keys, ...draft } = client;
  return draft;
}

export const newClient: NewClientDraft = {
  id: null,
  name: '',
  type: 'public',
  redirectUris: [],
  postLogoutRedirectUris: [],
  tokenEndpointAuthMethod: 'none',
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

/** As `overlay-auth create|update oidc-client --help` lists them. */
export const clientFlags = {
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
} as const;

/** The words of the command that registers it. Values at their default are omitted. */
export function createCommand({ name, type, ...draft }: NewClientDraft): readonly string[] | null {
  const { name: _name, type: _type, ...fresh } = newClient;
  const isConfidential = type === 'confidential';
  const method = isConfidential ? 'client_secret_basic' : 'none';
  const usual: Readonly<Record<string, unknown>> = { ...fresh, tokenEndpointAuthMethod: method };
  const chosen = Object.entries(draft).filter(
    ([field, value]) => JSON.stringify(usual[field]) !== JSON.stringify(value),
  );
  const options = optionsFor<Partial<NewClientDraft>>(Object.fromEntries(chosen), clientFlags);
  return options === null ? null : ['create', 'oidc-client', name, type, ...options];
}

export function usesSecrets({
  tokenEndpointAuthMethod: method,
}: Pick<ClientDraft, 'tokenEndpointAuthMethod'>): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}
