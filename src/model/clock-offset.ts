import type { Millis } from '../platform/clock.ts';
import { SECOND } from '../platform/clock.ts';
import type { ControllerNode } from './node.ts';
import { heartbeatInterval } from './node.ts';

/** Beyond this an operator should look. */
export const noticeableOffset: Millis = 5 * SECOND;
/** Beyond this nodes refuse the tokens of one another, and take for expired what is not. */
export const longestOffset: Millis = 30 * SECOND;

/**
 * Whether it is the clock of the database that is wrong, and not ours: others that ran a moment ago by our clock, and
 * nobody who ran by that of the database.
 * @param others the last beats of the other nodes, each by its own clock
 */
export function othersAgreeWithUs(
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
