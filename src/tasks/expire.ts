// Deletes what has expired, from memory and from the store. Safe to run on all nodes at the same time.

import { longestOffset, noticeableOffset } from '../model/clock-offset.ts';
import { deliveriesWait } from '../model/delivery.ts';
import { type Clock, DAY, type Millis } from '../platform/clock.ts';
import type { DenySet } from '../sessions/session-view.ts';
import type { AuditEventStore } from '../store/contracts/audit-events.ts';
import type { DeliveryStore } from '../store/contracts/deliveries.ts';
import type { ExpiryStore } from '../store/contracts/expiry.ts';
import type { LoginAttemptStore } from '../store/contracts/login-attempts.ts';

const batch = 500;
/** Another node may be as far behind the database as this one is ahead, and still accept what this one deletes. */
const clocksApart: Millis = 2 * longestOffset;
/** Longer than they may wait, so that administrators see deliveries that were given up. */
const keptDeliveries: Millis = deliveriesWait + 4 * DAY;
/** Of each subscriber and state. */
const mostDeliveries = 100_000;

/** Drops expired tokens from the memory of this thread. */
export function forgetExpired(needs: { clock: Clock; ended: DenySet; revoked: DenySet }): void {
  const now = needs.clock.now();
  for (const denied of [needs.ended, needs.revoked])
    for (const [id, until] of denied) if (until <= now) denied.delete(id);
}

/** Deletes expired rows, in small batches so that other writes get a turn in between. @returns how many rows */
export async function deleteExpired(needs: {
  store: {
    expiry: ExpiryStore;
    loginAttempts: Pick<LoginAttemptStore, 'deleteBefore'>;
    auditEvents: Pick<AuditEventStore, 'deleteBefore'>;
    deliveries: Pick<DeliveryStore, 'deleteOld'>;
  };
  clock: Clock;
  /** How long decision records are kept. */
  keepAttempts: Millis;
  /** How long audit events are kept. */
  keepAuditEvents: Millis;
}): Promise<number> {
  const { store } = needs;
  const now = needs.clock.now();
  const expired = await inBatches(() => store.expiry.deleteExpired(now - clocksApart, batch));
  const attempts = await inBatches(() => store.loginAttempts.deleteBefore(now - needs.keepAttempts, batch));
  const events = await inBatches(() => store.auditEvents.deleteBefore(now - needs.keepAuditEvents, batch));
  const old = { before: now - keptDeliveries, most: mostDeliveries };
  const deliveries = await inBatches(() => store.deliveries.deleteOld(old, batch));
  return expired + attempts + events + deliveries;
}

/**
 * Whether the wall clock has run steadily for some time, measured by the monotonic clock. If the wall clock was set
 * forward by mistake, everything it deletes is lost when it is set back, including the record that a session has ended,
 * and its access tokens work again. After a steady time in which every access token has really expired, even a wrong
 * clock is harmless: no token is left to revive.
 * @param needed how long an access token can live
 */
export function evenClock(clock: Clock, needed: () => Millis): { isEven(): boolean } {
  const base = () => clock.now() - clock.monotonic();
  // It is unknown how the clock was set while this process was not running.
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
