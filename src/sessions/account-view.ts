// sessions/ answers, from memory, who is calling and whether that still holds. It knows tokens and the store's
// contracts, not HTTP. What it keeps is invalidated by the change feed.
//
// This file: what a call needs to know of an identity (and its policy), for identities that called lately.

import type { AuthPolicy } from '../model/auth-policy.ts';
import { type Identity, isDisabled } from '../model/identity.ts';
import type { AuthPolicyId, IdentityId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import { recentMap } from '../platform/recent-map.ts';
import type { AuthPolicyStore } from '../store/contracts/auth-policies.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';
import type { TotpStore } from '../store/contracts/totp.ts';

export interface Account {
  readonly identity: Identity;
  readonly policy: AuthPolicy;
  readonly isTotpEnrolled: boolean;
}

export interface AccountView {
  /** The account, or null when the identity is unknown or disabled at `now`. Answers at once when it is in memory. */
  find(id: IdentityId, now: Millis): Account | null | Promise<Account | null>;
  forgetIdentity(id: IdentityId): void;
  forgetAll(): void;
}

/** @param atLeast how many identities are kept in memory */
export function accountView(
  store: {
    readonly identities: IdentityStore;
    readonly authPolicies: AuthPolicyStore;
    readonly totp: TotpStore;
  },
  atLeast = 100_000,
): AccountView {
  const known = recentMap<IdentityId, Account>(atLeast);
  // One object for all who have the policy: it is half of what an account would take.
  const policies = new Map<AuthPolicyId, AuthPolicy>();
  // A read that began before a change must not be kept after it: the reader would see the old state for ever.
  let epoch = 0;

  async function read(id: IdentityId, now: Millis): Promise<Account | null> {
    const begun = epoch;
    const identity = await store.identities.find(id);
    if (identity === null) return null;
    const { authPolicyId } = identity;
    const policy = policies.get(authPolicyId) ?? (await store.authPolicies.find(authPolicyId));
    if (policy === null) throw new Error(`identity ${id} has no readable auth policy`);
    const isTotpEnrolled = (await store.totp.find(id)) !== null;
    const account = { identity, policy, isTotpEnrolled };
    if (begun === epoch) {
      policies.set(authPolicyId, policy);
      known.set(id, account);
    }
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

function usable(account: Account, now: Millis): Account | null {
  return isDisabled(account.identity, now) ? null : account;
}
