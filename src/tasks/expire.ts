// tasks/ does what nobody asks for: expiry and key rotation. Every task is safe to run on all nodes at once.

import type { Clock, Millis } from '../platform/clock.ts';
import type { DenySet } from '../sessions/deny-set.ts';
import type { ExpiryStore } from '../store/contracts/expiry.ts';
import type { LoginAttemptStore } from '../store/contracts/login-attempts.ts';

const batch = 500;

/** Deletes what has expired, in small batches so that other writes get their turn in between. @returns how many rows */
export async function deleteExpired(needs: {
  readonly store: { readonly expiry: ExpiryStore; readonly loginAttempts: LoginAttemptStore };
  readonly clock: Clock;
  readonly ended: DenySet;
  readonly revoked: DenySet;
  /** How long decision records are kept. */
  readonly keepAttempts: Millis;
}): Promise<number> {
  const { store } = needs;
  const now = needs.clock.now();
  needs.ended.prune(now);
  needs.revoked.prune(now);
  const expired = await inBatches(() => store.expiry.deleteExpired(now, batch));
  return expired + (await inBatches(() => store.loginAttempts.deleteBefore(now - needs.keepAttempts, batch)));
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < batch) return total;
  }
}
