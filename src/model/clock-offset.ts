import { type Millis, SECOND } from '../platform/clock.ts';
import { type ControllerNode, heartbeatInterval } from './node.ts';

/** A larger offset needs an operator's attention. */
export const noticeableOffset: Millis = 5 * SECOND;
/** With a larger offset nodes refuse one another's tokens, and treat valid things as expired. */
export const longestOffset: Millis = 30 * SECOND;

/**
 * Whether the clock of the database is wrong, and not ours: other nodes beat a moment ago by our clock, and none by
 * that of the database.
 * @param others the last beats of the other nodes, each by its own clock
 */
export function nodesAgreeWithClock(
  others: readonly Pick<ControllerNode, 'lastSeenAt' | 'leftAt'>[],
  { ours, databases }: { readonly ours: Millis; readonly databases: Millis },
): boolean {
  const running = others.filter(({ leftAt }) => leftAt === null);
  const isBy = (now: Millis) =>
    running.some(
      ({ lastSeenAt }) =>
        lastSeenAt - now <= noticeableOffset && now - lastSeenAt <= heartbeatInterval + noticeableOffset,
    );
  return isBy(ours) && !isBy(databases);
}
