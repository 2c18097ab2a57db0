// Repeated work of a thread, from the start of its services to their end.

import { MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { warnOfOpenFiles } from '../platform/open-files.ts';
import { listeningInterval } from '../sessions/follow-feed.ts';
import { activityInterval } from '../sessions/legacy-session-view.ts';
import type { Deliverer } from '../tasks/deliver.ts';
import { deleteExpired, evenClock, forgetExpired } from '../tasks/expire.ts';
import { every } from '../tasks/schedule.ts';
import type { Callers } from './callers.ts';
import type { Base } from './in-use.ts';

const expiryInterval: Millis = MINUTE;
const rotationInterval: Millis = MINUTE;
const deliveryInterval: Millis = 5 * SECOND;
const filesInterval: Millis = MINUTE;
const listInterval: Millis = 15 * SECOND;

/**
 * @param deliverer null: another thread delivers
 * @returns ends it, and waits for work under way
 */
export function startBackgroundWork(
  { store, clock, log, inUse, first }: Base,
  { watch, view, revoked, keeper, rotateKeysWhenDue }: Callers,
  deliverer: Deliverer | null,
): () => Promise<void> {
  /** Whether this thread does the work that is done once for all threads. */
  const isFirst = first === undefined;
  /** Work that depends on the clock alone and cannot be undone. */
  const byTheClock = (work: () => Promise<unknown>) => async () => {
    await watch.compare();
    if (!watch.isWrong) await work();
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
  const rotate = isFirst ? byTheClock(rotateKeysWhenDue) : async () => {};
  const stops = [
    every(expiryInterval, { name: 'expiry', log }, byTheClock(expire)),
    every(rotationInterval, { name: 'key rotation', log }, rotate),
    every(listeningInterval, { name: 'listening to the database', log }, view.feed.listen),
    every(activityInterval, { name: 'session activity', log }, view.legacy.flush),
  ];
  if (isFirst)
    stops.push(
      every(filesInterval, { name: 'open files', log, startsNow: true }, async () => warnOfOpenFiles(log)),
    );
  // In other threads, another one fetches the lists.
  if (keeper !== null) {
    stops.push(every(listInterval, { name: 'revocation lists', log }, byTheClock(keeper.fetchDue)));
    stops.push(keeper.stop);
  }
  if (deliverer !== null) {
    // Deliveries that other nodes leave undone, and retries that were due while this node was not running.
    stops.push(every(deliveryInterval, { name: 'deliveries', log }, async () => deliverer.wake()));
    stops.push(deliverer.stop);
    deliverer.wake();
  }
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
