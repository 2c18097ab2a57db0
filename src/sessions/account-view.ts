// sessions/ answers from memory who is calling and whether that is still valid. It knows tokens and the store's
// contracts, not HTTP. The change feed invalidates what it keeps.
//
// This file: what a call needs to know about an identity and its policy, for identities that called recently.

import { type Account, isDisabled } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { AuthPolicyId, IdentityId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import { recentMap } from '../platform/recent-map.ts';
import { type SharedValues, sharedValues } from '../platform/shared-values.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

export interface AccountView {
  /** The account, or null when the identity is unknown or disabled at `now`. Answers at once if it is in memory. */
  find(id: IdentityId, now: Millis): Account | null | Promise<Account | null>;
  forgetIdentity(id: IdentityId): void;
  forgetAll(): void;
}

/** @param threads number of request threads: together they keep 100,000 identities */
export function accountView(
  store: { readonly identities: Pick<IdentityStore, 'findAccount'> },
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

/** What many identities have in common is kept once. */
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
