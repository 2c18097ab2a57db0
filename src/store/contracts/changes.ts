import type { Change } from '../../model/change.ts';

/**
 * `own`: this engine has committed something that is not acknowledged yet.
 * `perhaps-another-history`: the database could not be reached for a moment. Another server may answer at the same
 * address now, one that lacks the last commits.
 */
export type ChangeNotice = 'own' | 'perhaps-new' | 'perhaps-another-history';
export type ChangeListener = (notice: ChangeNotice) => Promise<void>;

/**
 * How far a reader of the feed has come, and in which feed: numbers alone are used again after a failover, and on
 * PostgreSQL entries are committed in another order than that of their numbers.
 */
export interface FeedPosition {
  /** Another text once another server answers, or the same one has restarted. */
  readonly history: string;
  /** The transactions that were committed at the time, in words of the engine. */
  readonly horizon: string;
  /** The entry with the highest number that was read; null when there was none. */
  readonly last: Change | null;
}

/** The entries that are new to a reader of the feed, and the position afterwards. */
export interface FeedReading {
  /** By number. An entry that was added after another one was committed comes after it, here or in a later reading. */
  readonly changes: readonly Change[];
  readonly position: FeedPosition;
}

export interface ChangeFeed {
  /**
   * The entries that were committed after the position, each of them once, in any order of numbers. All for null.
   * @throws AnotherHistory   the database is not the one of the position any more
   * @throws EntryLost        it lacks the entry of the position
   * @throws StoreUnavailable also when the server is a replica
   */
  readAfter(position: FeedPosition | null): Promise<FeedReading>;
  /** The position behind the newest entry. @throws StoreUnavailable also when the server is a replica */
  latest(): Promise<FeedPosition>;
  /**
   * Calls `listener` after commits that may have added entries: before the promises of this process's own commits
   * resolve, and within a quarter of a second for other processes (two seconds if the process of the commit dies before
   * it has told them). The listener reads new entries with `readAfter`, or
   * everything after `perhaps-another-history`.
   * @returns stops the calls
   */
  onChange(listener: ChangeListener): () => void;
}

/** The feed does not continue from the position: what its reader knows may be wrong in any part. */
export class AnotherHistory extends Error {
  override readonly name = 'AnotherHistory';
}

/** The entry of the position is not there: it was lost with the commits of its time, or was deleted long since. */
export class EntryLost extends AnotherHistory {}
