// sessions/ answers, from memory, who is calling and whether that still holds. It knows tokens and the store's
// contracts, not HTTP. What it keeps is invalidated by the change feed.
//
// This file: what a call needs to know of an identity (and its policy), for identities that called lately.

import { LRUCache } from 'lru-cache';
import type { Account } from '../model/account.ts';
import { isDisabled } from '../model/identity.ts';
import type { IdentityId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

export interface AccountView {
  /** The account, or null when the identity is unknown or disabled at `now`. Answers at once when it is in memory. */
  find(id: IdentityId, now: Millis): Account | null | Promise<Account | null>;
  forgetIdentity(id: IdentityId): void;
  forgetAll(): void;
}

/** @param max how many identities are kept in memory */
export function accountView(
  store: { readonly identities: Pick<IdentityStore, 'findAccount'> },
  max = 100_000,
): AccountView {
  const known = new LRUCache<IdentityId, Account>({ max });
  // A read that began before a change must not be kept after it: the reader would see the old state for ever.
  let epoch = 0;

  async function read(id: IdentityId, now: Millis): Promise<Account | null> {
    const begun = epoch;
    const account = await store.identities.findAccount(id);
    if (account === null) return null;
    if (begun === epoch) known.set(id, account);
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
      known.clear();
    },
  };
}

function usable(account: Account, now: Millis): Account | null {
  return isDisabled(account.identity, now) ? null : account;
}
