import type { Change } from '../../model/change.ts';

/**
 * `own`: this engine has committed something that is not acknowledged yet.
 * `perhaps-another-history`: the connection to the database was lost. Behind the same address there may be another
 * server now that lacks the last entries and gives their numbers to others.
 */
export type ChangeNotice = 'own' | 'perhaps-new' | 'perhaps-another-history';
export type ChangeListener = (notice: ChangeNotice) => Promise<void>;

export interface ChangeFeed {
  /** Entries after `seq`, in order. */
  readAfter(seq: number): Promise<readonly Change[]>;
  /** The number of the newest entry; 0 when there is none. */
  latestSeq(): Promise<number>;
  /**
   * Calls `listener` after commits that may have added entries: this process's own before their promises resolve,
   * other processes' within a quarter of a second. The listener reads what is new with `readAfter`; or everything,
   * when it is told `perhaps-another-history`.
   * @returns stops the calls
   */
  onChange(listener: ChangeListener): () => void;
}
