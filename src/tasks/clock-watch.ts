// Compares this node's clock with the one that all nodes share, that of the database. Each node decides by its own
// clock whether something has expired.

import { longestOffset, nodesAgreeWithClock, noticeableOffset } from '../model/clock-offset.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import { oneRun } from '../platform/in-rounds.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { NodeStore } from '../store/contracts/nodes.ts';
import { StoreUnavailable } from '../store/contracts/store.ts';

export type ClockWatch = ReturnType<typeof clockWatch>;

interface ClockWatchNeeds {
  readonly store: { readonly nodes: Pick<NodeStore, 'databaseTime' | 'listAll'> };
  readonly clock: Clock;
  readonly log: Logger;
  /** Repeats the work that was done by the wrong clock; until it has, the clock counts as wrong. */
  readonly onSetRight: () => Promise<void>;
}

export function clockWatch(needs: ClockWatchNeeds) {
  const { clock, log } = needs;
  const { nodes } = needs.store;
  /** The wall clock relative to the monotonic one: a change is a jump. */
  const base = () => clock.now() - clock.monotonic();
  let found: { readonly ahead: Millis; readonly base: Millis; readonly isOurs: boolean } | null = null;
  let own: string | undefined;
  const tell = offsetLog(log);

  async function compareNow(): Promise<void> {
    const read = await readBoth(needs);
    if (read === null) return;
    const { ours, databases, ahead } = read;
    let isOurs = Math.abs(ahead) > longestOffset;
    if (isOurs) {
      const others = (await nodes.listAll()).filter(({ name }) => name !== own);
      isOurs = !nodesAgreeWithClock(others, { ours, databases });
    }
    if (found?.isOurs === true && !isOurs) await needs.onSetRight();
    found = { ahead, base: ours - clock.monotonic(), isOurs };
    tell(ahead, isOurs);
  }

  // Where the database is unreachable, that is reported elsewhere.
  const compare = oneRun(() => compareNow().catch(() => undefined));

  function isWrong(): boolean {
    if (found === null) return false;
    const jump = base() - found.base;
    if (Math.abs(jump) < noticeableOffset) return found.isOurs;
    // An administrator has set it, or the machine was asleep: the next comparison tells which.
    void compare();
    return found.isOurs || Math.abs(found.ahead + jump) > longestOffset;
  }

  return {
    /** How far this node's clock is ahead of the database's, as last compared; 0 if there is nothing to compare with. */
    get ahead() {
      return found?.ahead ?? 0;
    },
    /** Whether nothing may be decided by this node's clock. Costs two clock readings. */
    get isWrong() {
      return isWrong();
    },
    /**
     * Compares now. If the database does not answer, the last result stays.
     * @param name of this node, once it has one
     */
    compare(name?: string): Promise<void> {
      own = name ?? own;
      return compare();
    },
    /** The answer to requests while it is wrong. */
    refusal: (): StoreUnavailable =>
      new StoreUnavailable('the clock of this node is wrong by that of the database'),
  };
}

/** @returns both clocks, and how far ours is ahead at least; null: there is nothing to compare with */
async function readBoth({
  clock,
  store,
}: ClockWatchNeeds): Promise<{ ours: Millis; databases: Millis; ahead: Millis } | null> {
  const before = clock.now();
  const databases = await store.nodes.databaseTime();
  const ours = clock.now();
  if (databases === null) return null;
  const difference = (before + ours) / 2 - databases;
  // The answer may come from any moment in between.
  const doubt = Math.abs(ours - before) / 2;
  const ahead = Math.sign(difference) * Math.max(0, Math.abs(difference) - doubt);
  return { ours, databases, ahead };
}

/** Logs each change between right, noticeable and wrong, once. */
function offsetLog(log: Logger): (ahead: Millis, isOurs: boolean) => void {
  let said: 'right' | 'noticeable' | 'wrong' = 'right';
  return (ahead, isOurs) => {
    const now = Math.abs(ahead) <= noticeableOffset ? 'right' : isOurs ? 'wrong' : 'noticeable';
    if (now === said) return;
    said = now;
    const fields = { event: `clock.${now}`, aheadSeconds: Math.round(ahead / SECOND) };
    if (now === 'right') log.info('the clock goes by that of the database again', fields);
    if (now === 'noticeable')
      log.warn('the clock differs from that of the database: set both by NTP', fields);
    if (now === 'wrong')
      log.error(
        'the clock is wrong by that of the database, and nothing is decided by it: set it right',
        fields,
      );
  };
}
