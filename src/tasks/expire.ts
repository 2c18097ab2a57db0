// tasks/ does what nobody asks for: expiry and key rotation. Every task is safe to run on all nodes at once.

import type { Clock } from '../platform/clock.ts';
import type { EndedSessions } from '../sessions/ended-sessions.ts';
import type { ExpiryStore } from '../store/contracts/expiry.ts';

const batch = 500;

/** Deletes what has expired, in small batches so that other writes get their turn in between. @returns how many rows */
export async function deleteExpired(needs: {
  readonly store: { readonly expiry: ExpiryStore };
  readonly clock: Clock;
  readonly ended: EndedSessions;
}): Promise<number> {
  needs.ended.prune(needs.clock.now());
  let total = 0;
  for (;;) {
    const deleted = await needs.store.expiry.deleteExpired(needs.clock.now(), batch);
    total += deleted;
    if (deleted < batch) return total;
  }
}
