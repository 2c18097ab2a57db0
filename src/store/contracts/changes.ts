import type { Change } from '../../model/change.ts';

/**
 * `own`: this engine has committed something that is not acknowledged yet.
 * `perhaps-another-history`: the database could not be reached for a moment. Another server may answer at the same
 * address now, one that lacks the last commits.
 */
export type ChangeNotice = 'own' | 'perhaps-new' | 'perhaps-another-history';
export type ChangeListener = (notice: ChangeNotice) => Promise<void>;

/** How far a reader of the feed has come, and in which feed: numbers alone are used again after a failover. */
export interface FeedPosition {
  /** Another text once another server answers, or the same one has restarted. */
  readonly history: string;
  /** The newest entry that was read; null when there was none. */
  readonly last: Change | null;
}

export interface ChangeFeed {
  /**
   * Entries after the position, in order; all of them for null.
   * @throws AnotherHistory   the database is not the one of the position any more, or lacks its entry
   * @throws StoreUnavailable also when the server is a replica
   */
  readAfter(position: FeedPosition | null): Promise<readonly Change[]>;
  /** The position behind the newest entry. @throws StoreUnavailable also when the server is a replica */
  latest(): Promise<FeedPosition>;
  /**
   * Calls `listener` after commits that may have added entries: before the promises of this process's own commits
   * resolve, and within a quarter of a second for other processes. The listener reads what is new with `readAfter`, or
   * everything after `perhaps-another-history`.
   * @returns stops the calls
   */
  onChange(listener: ChangeListener): () => void;
}

/** The feed does not continue from the position: what its reader knows may be wrong in any part. */
export class AnotherHistory extends Error {
  override readonly name = 'AnotherHistory';
}
