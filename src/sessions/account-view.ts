// sessions/ identifies callers from memory, and says whether their sessions are still valid. It knows tokens and the
// store's contracts, not HTTP. The change feed invalidates its entries.
//
// This file: the identity and policy of a caller, for identities that called recently.

import { type Account, isDisabled } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { OidcClient, OidcClientSecret } from '../model/entities/oidc-client.ts';
import type { AuthPolicyId, IdentityId } from '../model/ids.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import {
  type Followed,
  openWholeView,
  recentView,
  type SharedValues,
  sharedValues,
  type WholeView,
} from '../platform/caches.ts';
import type { Millis } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { OidcClientStore } from '../store/contracts/entities.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

export interface AccountView extends Followed<IdentityId> {
  /** The account, or null when the identity is unknown or disabled at `now`. Answers at once if it is in memory. */
  find(id: IdentityId, now: Millis): Account | null | Promise<Account | null>;
}

/** @param threads number of request threads: together they keep 100,000 identities */
export function accountView(
  store: { identities: Pick<IdentityStore, 'findAccount'> },
  threads = 1,
): AccountView {
  // Shared by all identities with the policy: it would be half the memory of an account.
  const policies = new Map<AuthPolicyId, AuthPolicy>();
  const shared = sharedValues();
  const known = recentView<IdentityId, Account>(Math.ceil(100_000 / threads), {
    keep(found) {
      const policy = policies.get(found.policy.id) ?? found.policy;
      policies.set(policy.id, policy);
      return { ...found, identity: withShared(found.identity, shared), policy };
    },
  });
  return {
    find(id, now) {
      const account = known.get(id);
      if (account !== undefined) return usable(account, now);
      return known
        .read(id, () => store.identities.findAccount(id))
        .then((found) => found && usable(found, now));
    },
    changed: known.changed,
    allChanged() {
      policies.clear();
      known.allChanged();
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

export type ClientView = WholeView<RegisteredClient>;

export interface ClientViewNeeds {
  readonly store: { readonly oidcClients: OidcClientStore };
  /** The cache of the keys for assertions. */
  readonly jwks: Pick<JwksCache, 'forget'>;
  /** @throws if the text is not a redirect URI */
  readonly readRedirectUri: (text: string) => RedirectUriPattern;
  readonly log: Pick<Logger, 'error'>;
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
export function openClientView({ store, jwks, readRedirectUri, log }: ClientViewNeeds): Promise<ClientView> {
  const { oidcClients } = store;
  const withSecrets = async (client: OidcClient) => ({
    ...client,
    secrets: await oidcClients.listSecrets(client.id),
  });
  /** Registration prevents others, but a newer release may have registered it: the feed of changes must go on. */
  const patternsOf = ({ id }: OidcClient, uris: readonly string[]) =>
    uris.flatMap((uri) => {
      try {
        return [readRedirectUri(uri)];
      } catch (error) {
        log.error('an address of an application cannot be read, and is refused', { client: id, uri, error });
        return [];
      }
    });
  return openWholeView({
    store: {
      listAll: async () => Array.fromAsync(await oidcClients.listAll(), withSecrets),
      async find(id) {
        const client = await oidcClients.find(id);
        return client && withSecrets(client);
      },
    },
    ready: (client): RegisteredClient => ({
      ...client,
      redirectPatterns: patternsOf(client, client.redirectUris),
      postLogoutPatterns: patternsOf(client, client.postLogoutRedirectUris),
    }),
    onChange(id, before, now) {
      if (before?.jwksUri !== now?.jwksUri) jwks.forget(keysOwner(id));
    },
  });
}
