import type { Change } from '../../model/change.ts';

/**
 * `own`: this engine has committed something that is not acknowledged yet.
 * `perhaps-another-history`: the connection to the database was lost. Another server may answer at the same address
 * now, one that lacks the last entries and reuses their numbers.
 */
export type ChangeNotice = 'own' | 'perhaps-new' | 'perhaps-another-history';
export type ChangeListener = (notice: ChangeNotice) => Promise<void>;

export interface ChangeFeed {
  /** Entries after `seq`, in order. */
  readAfter(seq: number): Promise<readonly Change[]>;
  /** The number of the newest entry; 0 when there is none. */
  latestSeq(): Promise<number>;
  /**
   * Calls `listener` after commits that may have added entries: before the promises of this process's own commits
   * resolve, and within a quarter of a second for other processes. The listener reads what is new with `readAfter`, or
   * everything after `perhaps-another-history`.
   * @returns stops the calls
   */
  onChange(listener: ChangeListener): () => void;
}
