// sessions/ identifies callers from memory, and says whether their sessions are still valid. It knows tokens and the
// store's contracts, not HTTP. The change feed invalidates its entries.
//
// This file: the identity and policy of a caller, for identities that called recently.

import { type Account, isDisabled } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { OidcClient, OidcClientSecret } from '../model/entities/oidc-client.ts';
import type { AuthPolicyId, IdentityId, OidcClientId } from '../model/ids.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import { recentMap, type SharedValues, sharedValues } from '../platform/caches.ts';
import type { Millis } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { OidcClientStore } from '../store/contracts/entities.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

export interface AccountView {
  /** The account, or null when the identity is unknown or disabled at `now`. Answers at once if it is in memory. */
  find(id: IdentityId, now: Millis): Account | null | Promise<Account | null>;
  forgetIdentity(id: IdentityId): void;
  forgetAll(): void;
}

/** @param threads number of request threads: together they keep 100,000 identities */
export function accountView(
  store: { identities: Pick<IdentityStore, 'findAccount'> },
  threads = 1,
): AccountView {
  const known = recentMap<IdentityId, Account>(Math.ceil(100_000 / threads));
  // Shared by all identities with the policy: it would be half the memory of an account.
  const policies = new Map<AuthPolicyId, AuthPolicy>();
  const shared = sharedValues();
  // A read that began before a change must not be kept after it: it may have seen the old state.
  let epoch = 0;

  async function read(id: IdentityId, now: Millis): Promise<Account | null> {
    const begun = epoch;
    const found = await store.identities.findAccount(id);
    if (found === null) return null;
    if (begun !== epoch) return usable(found, now);
    const policy = policies.get(found.policy.id) ?? found.policy;
    const account = { ...found, identity: withShared(found.identity, shared), policy };
    policies.set(policy.id, policy);
    known.set(id, account);
    return usable(account, now);
  }

  return {
    find(id, now) {
      const account = known.get(id);
      return account === undefined ? read(id, now) : usable(account, now);
    },
    forgetIdentity(id) {
      epoch += 1;
      known.delete(id);
    },
    forgetAll() {
      epoch += 1;
      policies.clear();
      known.clear();
    },
  };
}

/** Keeps values that many identities have in common only once. */
function withShared(identity: Identity, { text, list }: SharedValues): Identity {
  return {
    ...identity,
    type: text(identity.type),
    authPolicyId: text(identity.authPolicyId),
    permissions: list(identity.permissions),
    roleAttributes: list(identity.roleAttributes),
  };
}

function usable(account: Account, now: Millis): Account | null {
  return isDisabled(account.identity, now) ? null : account;
}

// The registered OIDC clients in memory: every step of a login and every call with a client's token asks for them, and
// there are few.

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
