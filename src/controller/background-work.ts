// What a thread does repeatedly by itself, from the start of its services to their end.

import { type Clock, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { DenySet } from '../sessions/deny-set.ts';
import { listeningInterval } from '../sessions/follow-feed.ts';
import { activityInterval } from '../sessions/legacy-session-view.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { Store } from '../store/contracts/store.ts';
import type { ClockWatch } from '../tasks/clock-watch.ts';
import type { Deliverer } from '../tasks/deliver.ts';
import { deleteExpired, evenClock, forgetExpired } from '../tasks/expire.ts';
import type { RevocationKeeper } from '../tasks/revocation-keeper.ts';
import { every } from '../tasks/schedule.ts';
import type { ConfigInUse } from './in-use.ts';

const expiryInterval: Millis = MINUTE;
const rotationInterval: Millis = MINUTE;
const deliveryInterval: Millis = 5 * SECOND;
const listInterval: Millis = 15 * SECOND;

export interface BackgroundNeeds {
  /** Whether this thread does the work that is done once for all threads. */
  readonly isFirst: boolean;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly clockWatch: ClockWatch;
  readonly view: SessionView;
  readonly revoked: DenySet;
  rotateKeysWhenDue(): Promise<void>;
  /** Null: another thread fetches revocation lists. */
  readonly keeper: Pick<RevocationKeeper, 'fetchDue'> | null;
  /** Null: another thread delivers. */
  readonly deliverer: Deliverer | null;
  readonly inUse: Pick<ConfigInUse, 'edge' | 'accessTokenEnd'>;
}

/** @returns ends it, and waits for work under way */
export function startBackgroundWork(needs: BackgroundNeeds): () => Promise<void> {
  const { isFirst, store, clock, log, clockWatch, view, revoked, inUse } = needs;
  /** Work that depends on the clock alone and cannot be undone. */
  const byTheClock = (work: () => Promise<unknown>) => async () => {
    await clockWatch.compare();
    if (!clockWatch.isWrong) await work();
  };
  const even = evenClock(clock, () => inUse.accessTokenEnd);
  const expire = async () => {
    if (!even.isEven()) return;
    forgetExpired({ clock, ended: view.ended, revoked });
    if (!isFirst) return;
    const { loginAttempts, auditEvents } = inUse.edge;
    const kept = { keepAttempts: loginAttempts.keep, keepAuditEvents: auditEvents.keep };
    await deleteExpired({ store, clock, ...kept });
  };
  const rotate = isFirst ? byTheClock(needs.rotateKeysWhenDue) : async () => {};
  const stops = [
    every(expiryInterval, { name: 'expiry', log }, byTheClock(expire)),
    every(rotationInterval, { name: 'key rotation', log }, rotate),
    every(listeningInterval, { name: 'listening to the database', log }, view.feed.listen),
    every(activityInterval, { name: 'session activity', log }, view.legacy.flush),
  ];
  const { deliverer, keeper } = needs;
  if (keeper !== null)
    stops.push(every(listInterval, { name: 'revocation lists', log }, byTheClock(keeper.fetchDue)));
  if (deliverer !== null) {
    // What other nodes leave undone, and what was to be tried again when this one was not running.
    stops.push(every(deliveryInterval, { name: 'deliveries', log }, async () => deliverer.wake()));
    stops.push(deliverer.stop);
    deliverer.wake();
  }
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
