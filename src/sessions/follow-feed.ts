// Follows the ordered change feed of the store: this node's position in it, one read at a time, and how old the data in
// memory may be. The follower decides what a change means (session-view.ts).

import type { Change } from '../model/change.ts';
import { type Clock, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { inRounds, oneRun } from '../platform/in-rounds.ts';
import { withinTime } from '../platform/within-time.ts';
import { AnotherHistory, type ChangeFeed, EntryLost, type FeedPosition } from '../store/contracts/changes.ts';
import type { RestoreStore } from '../store/contracts/restores.ts';

/** A node that has not heard from the database for this long accepts no token until it has. */
const longestSilence: Millis = 30 * SECOND;
/** How often a node reads the feed when nothing happens. */
export const listeningInterval: Millis = 5 * SECOND;
/** Feed entries are kept for an hour: after a longer silence than this, a node reads everything again. */
const feedReach: Millis = 30 * MINUTE;
/** A caller waits at most this long for a database that does not answer. */
const longestWait: Millis = 2 * SECOND;
/** A node that stood still for this long (stopped, starved, asleep) first reads what happened meanwhile. */
const longestStandstill: Millis = 2 * SECOND;
const lookInterval: Millis = 250;

export interface FollowedFeed {
  /** Reads and applies new entries; resolves when memory is as new as the store was at the call. */
  catchUp(): Promise<void>;
  /**
   * Whether memory may be older than the store: the last read of the feed failed, nothing was heard for thirty seconds,
   * this process stood still, or the database is another one. Every call is refused then until `beFresh` resolves.
   */
  readonly isBehind: boolean;
  /** Whether this process stood still, and has not yet read what happened meanwhile. */
  readonly hasStoodStill: boolean;
  /** Resolves when memory is up to date. @throws after two seconds at most, if that is impossible */
  beFresh(): Promise<void>;
  /** Reads the feed, and whether the database was restored, without being told of a change. @throws as `beFresh` */
  listen(): Promise<void>;
  /** Reads everything again: entries that were read by a wrong clock are unreliable. @throws as `beFresh` */
  startOver(): Promise<void>;
  stop(): void;
}

interface FollowedStore {
  readonly changes: ChangeFeed;
  readonly restores: Pick<RestoreStore, 'latest'>;
}

export interface FollowedFrom {
  readonly position: FeedPosition;
  /** The id of the latest restore of the database. */
  readonly restore: string | null;
}

/** Call it before loading a view: a change in between is then seen twice, never missed. */
export async function feedPosition(store: FollowedStore): Promise<FollowedFrom> {
  return { position: await store.changes.latest(), restore: await store.restores.latest() };
}

export function followFeed(needs: {
  store: FollowedStore;
  clock: Clock;
  from: FollowedFrom;
  apply(change: Change): void | Promise<void>;
  /** Reads everything that the feed no longer covers. */
  readEverything(): Promise<void>;
  /** Called when the database lacks commits that this node has read. */
  onLoss(): void;
}): FollowedFeed {
  const { store, clock } = needs;
  let { position } = needs.from;
  const freshness = watchFreshness(clock);
  let isReplaced = false;
  let hasToStartOver = false;

  async function readNew(): Promise<void> {
    const round = freshness.beginRound();
    const startsOver = hasToStartOver || round.isOutOfReach;
    hasToStartOver = false;
    try {
      if (startsOver) {
        const latest = await store.changes.latest();
        if (await hasLost(store.changes, { position, latest }, clock.now())) needs.onLoss();
        await needs.readEverything();
        position = latest;
      }
      const read = await store.changes.readAfter(position);
      for (const change of read.changes) await needs.apply(change);
      position = read.position;
      round.succeeded();
    } catch (error) {
      round.failed();
      // Perhaps because another server has taken over.
      hasToStartOver = true;
      if (error instanceof AnotherHistory && !startsOver) return readNew();
      throw error;
    }
  }

  const catchUp = inRounds(readNew);
  const listen = oneRun(async () => {
    isReplaced ||= (await store.restores.latest()) !== needs.from.restore;
    if (isReplaced) throw new Error(replacedMessage);
    await catchUp();
  });
  const listenForAWhile = () => withinTime(listen(), longestWait, 'the database does not answer');
  const isBehind = () => isReplaced || freshness.isBehind;

  const stopFollowing = store.changes.onChange((notice) => {
    hasToStartOver ||= notice === 'perhaps-another-history';
    return catchUp();
  });
  return {
    catchUp,
    get isBehind() {
      return isBehind();
    },
    get hasStoodStill() {
      return freshness.hasStoodStill;
    },
    async beFresh() {
      if (isBehind()) await listenForAWhile();
      // That read may have begun before this process stood still.
      if (isBehind()) await listenForAWhile();
    },
    listen: listenForAWhile,
    startOver() {
      hasToStartOver = true;
      return listenForAWhile();
    },
    stop() {
      freshness.stop();
      stopFollowing();
    },
  };
}

/** Whether the entry at the position is gone, and was not deleted because of its age. */
async function hasLost(changes: ChangeFeed, at: Record<'position' | 'latest', FeedPosition>, now: Millis) {
  const { last } = at.position;
  const isOld = last !== null && last.at < now - feedReach && last.seq < (at.latest.last?.seq ?? 0);
  if (last === null || isOld) return false;
  return (await changes.readAfter({ ...at.latest, last }).catch((error) => error)) instanceof EntryLost;
}

const replacedMessage =
  'the database was restored from a backup while this controller ran: its keys are not those of the database any more; restart it';

/** When this node last heard from the database, and whether it has stood still since. */
function watchFreshness(clock: Clock) {
  let heard = momentOf(clock);
  let ran = heard;
  let hasFailed = false;
  const hasStoodStill = () => since(ran, clock) > longestStandstill;
  const beat = setInterval(() => {
    // After a standstill, only a successful read sets this again.
    if (!hasStoodStill()) ran = momentOf(clock);
  }, lookInterval).unref();
  return {
    beginRound() {
      const begun = momentOf(clock);
      // Before the clock was set back, more had expired than has by now.
      const isSetBack = begun.wall < heard.wall - longestStandstill;
      return {
        isOutOfReach: isSetBack || since(heard, clock) > feedReach,
        succeeded() {
          hasFailed = false;
          heard = begun;
          ran = begun;
        },
        failed() {
          hasFailed = true;
        },
      };
    },
    get isBehind() {
      return hasFailed || hasStoodStill() || since(heard, clock) > longestSilence;
    },
    get hasStoodStill() {
      return hasStoodStill();
    },
    stop: () => clearInterval(beat),
  };
}

interface Moment {
  readonly wall: Millis;
  readonly monotonic: Millis;
}

function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** How long ago, by both clocks: one stops while the machine sleeps, the other may be set back. */
function since(moment: Moment, clock: Clock): Millis {
  return Math.max(clock.now() - moment.wall, clock.monotonic() - moment.monotonic);
}
