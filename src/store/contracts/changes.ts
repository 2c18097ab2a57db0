import type { Change } from '../../model/change.ts';

export interface ChangeFeed {
  /** Entries after `seq`, in order. */
  readAfter(seq: number): Promise<readonly Change[]>;
  /** The number of the newest entry; 0 when there is none. */
  latestSeq(): Promise<number>;
  /**
   * Calls `listener` after commits that may have added entries: this process's own before their promises resolve,
   * other processes' within a quarter of a second. The listener reads what is new with `readAfter`.
   * @returns stops the calls
   */
  onChange(listener: () => Promise<void>): () => void;
}
