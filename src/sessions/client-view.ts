// The registered OIDC clients in memory: every step of a login and every call with a client's token asks for them, and
// there are few.

import type { Identity } from '../model/entities/identity.ts';
import type { OidcClient, OidcClientSecret } from '../model/entities/oidc-client.ts';
import type { OidcClientId } from '../model/ids.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { OidcClientStore } from '../store/contracts/oidc-clients.ts';

/** A client ready for use: with its secrets, and its redirect URIs parsed. */
export interface RegisteredClient extends OidcClient {
  readonly redirectPatterns: readonly RedirectUriPattern[];
  readonly postLogoutPatterns: readonly RedirectUriPattern[];
  readonly secrets: readonly OidcClientSecret[];
}

export interface ClientView {
  find(id: string): RegisteredClient | undefined;
  all(): readonly RegisteredClient[];
  /** Reloads one after it, or one of its secrets, was created, changed or deleted. */
  reload(id: OidcClientId): Promise<void>;
  reloadAll(): Promise<void>;
}

export interface ClientViewNeeds {
  readonly store: { readonly oidcClients: OidcClientStore };
  /** The cache of the keys for assertions. */
  readonly jwks: Pick<JwksCache, 'forget'>;
  /** @throws if the text is not a redirect URI, which registration prevents */
  readonly readRedirectUri: (text: string) => RedirectUriPattern;
}

/** Whether an identity may use a client: it has one of the client's role attributes, or the client requires none. */
export function allowsIdentity(
  { allowedRoleAttributes }: Pick<OidcClient, 'allowedRoleAttributes'>,
  { roleAttributes }: Pick<Identity, 'roleAttributes'>,
): boolean {
  if (allowedRoleAttributes.length === 0) return true;
  return roleAttributes.some((attribute) => allowedRoleAttributes.includes(attribute));
}

/** The owner of a client's keys in the cache: two owners never share a set. */
export function keysOwner(id: string): string {
  return `oidc-client ${id}`;
}

/** Resolves when all are in memory. */
export async function openClientView(needs: ClientViewNeeds): Promise<ClientView> {
  const { oidcClients } = needs.store;
  const known = new Map<string, RegisteredClient>();
  let list: readonly RegisteredClient[] = [];

  async function reload(id: OidcClientId): Promise<void> {
    const client = await oidcClients.find(id);
    const secrets = client === null ? [] : await oidcClients.listSecrets(id);
    if (known.get(id)?.jwksUri !== client?.jwksUri) needs.jwks.forget(keysOwner(id));
    if (client === null) known.delete(id);
    else {
      known.set(id, {
        ...client,
        redirectPatterns: client.redirectUris.map(needs.readRedirectUri),
        postLogoutPatterns: client.postLogoutRedirectUris.map(needs.readRedirectUri),
        secrets,
      });
    }
    list = [...known.values()];
  }
  async function reloadAll(): Promise<void> {
    const stored = await oidcClients.listAll();
    const ids = [...list.map((client) => client.id), ...stored.map((client) => client.id)];
    for (const id of new Set(ids)) await reload(id);
  }

  await reloadAll();
  return { find: (id) => known.get(id), all: () => list, reload, reloadAll };
}
