import type { Millis } from '../../platform/clock.ts';

/** `checked`: it waits for the caller who has read the preview. */
export const bulkJobStates = ['checking', 'checked', 'working', 'done'] as const;

/** A change or action for any number of identities, or a table of new ones, which is made a piece at a time. */
export interface BulkJob {
  readonly id: string;
  /** The reference id of all its audit events. */
  readonly reference: string;
  /** The id of the identity that ordered it. */
  readonly madeBy: string;
  /** A filter of the list of identities. Null: the job has pieces of its own. */
  readonly selection: string | null;
  /** The rules of administrators write and read it. */
  readonly work: object;
  readonly state: (typeof bulkJobStates)[number];
  /** How many identities were checked. */
  readonly matched: number;
  /** For how many it is done. */
  readonly done: number;
  /**
   * Where it goes on: after the identity with this id, or with its piece of this number. Null: at the beginning; the
   * administrators whom a filter selects come first.
   */
  readonly reached: string | null;
  /** The findings of the check; the rules of administrators write and read them. */
  readonly found: object;
  /** Raised by each `advance`. */
  readonly step: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Ids of identities, or rows of a table; the rules of administrators write and read them. */
export type BulkJobPiece = readonly unknown[];

export interface NewBulkJob extends BulkJob {
  /** Empty if a filter selects. */
  readonly pieces: readonly BulkJobPiece[];
}

export interface BulkJobStore {
  /** The newest hundred are kept. */
  create(job: NewBulkJob): Promise<void>;
  /**
   * Adds pieces at the end of a job of which nothing was checked yet.
   * @returns false when there is none
   */
  add(id: string, pieces: readonly BulkJobPiece[], now: Millis): Promise<boolean>;
  /** The piece of this number and the one after it, as far as they exist and are not done. */
  piecesFrom(id: string, number: number): Promise<readonly BulkJobPiece[]>;
  find(id: string): Promise<BulkJob | null>;
  /** The newest first. */
  listAll(): Promise<readonly BulkJob[]>;
  /**
   * Notes the results of a step, and deletes the finished pieces; together with the changes of that step where they are
   * gathered.
   * @param job as it is afterwards, but with the step before
   * @returns false when another call has made that step meanwhile, or the job is gone
   */
  advance(job: BulkJob): Promise<boolean>;
  /** @returns false when there is none */
  delete(id: string): Promise<boolean>;
}
