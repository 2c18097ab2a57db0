// tasks/ does what nobody asks for: expiry and key rotation. Every task is safe to run on all nodes at once.

import { noticeableOffset } from '../model/clock-offset.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { DenySet } from '../sessions/deny-set.ts';
import type { AuditEventStore } from '../store/contracts/audit-events.ts';
import type { ExpiryStore } from '../store/contracts/expiry.ts';
import type { LoginAttemptStore } from '../store/contracts/login-attempts.ts';

const batch = 500;

/** Lets go of what this thread keeps in memory of tokens that have expired. */
export function forgetExpired(needs: {
  readonly clock: Clock;
  readonly ended: DenySet;
  readonly revoked: DenySet;
}): void {
  const now = needs.clock.now();
  needs.ended.prune(now);
  needs.revoked.prune(now);
}

/** Deletes what has expired, in small batches so that other writes get their turn in between. @returns how many rows */
export async function deleteExpired(needs: {
  readonly store: {
    readonly expiry: ExpiryStore;
    readonly loginAttempts: Pick<LoginAttemptStore, 'deleteBefore'>;
    readonly auditEvents: Pick<AuditEventStore, 'deleteBefore'>;
  };
  readonly clock: Clock;
  /** How long decision records are kept. */
  readonly keepAttempts: Millis;
  /** How long audit events are kept. */
  readonly keepAuditEvents: Millis;
}): Promise<number> {
  const { store } = needs;
  const now = needs.clock.now();
  const expired = await inBatches(() => store.expiry.deleteExpired(now, batch));
  const attempts = await inBatches(() => store.loginAttempts.deleteBefore(now - needs.keepAttempts, batch));
  const events = await inBatches(() => store.auditEvents.deleteBefore(now - needs.keepAuditEvents, batch));
  return expired + attempts + events;
}

/**
 * Whether the wall clock has gone evenly for some time, by the clock that nobody sets. What a clock deletes that was set
 * forward by mistake is lost when it is set back, also the record that a session had ended whose access tokens are then
 * good again. Once they have had the time to expire in truth, the clock may be wrong: there is nothing left to revive.
 * @param needed how long an access token can live
 */
export function evenClock(clock: Clock, needed: () => Millis): { isEven(): boolean } {
  const base = () => clock.now() - clock.monotonic();
  // Nobody knows how the clock was set while this process did not run.
  let last = base();
  let evenSince = clock.monotonic();
  return {
    isEven() {
      const current = base();
      if (Math.abs(current - last) > noticeableOffset) evenSince = clock.monotonic();
      last = current;
      return clock.monotonic() - evenSince >= needed();
    },
  };
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < batch) return total;
  }
}
