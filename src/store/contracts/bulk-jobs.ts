import type { Millis } from '../../platform/clock.ts';

/** `checked`: it waits for the caller who has read what it would do. */
export const bulkJobStates = ['checking', 'checked', 'working', 'done'] as const;

/** A change or action for any number of identities, which is made a piece at a time. */
export interface BulkJob {
  readonly id: string;
  /** The reference id of all its audit events. */
  readonly reference: string;
  /** The id of the identity that ordered it. */
  readonly madeBy: string;
  /** A filter of the list of identities. */
  readonly selection: string;
  /** The rules of administrators write and read it. */
  readonly work: object;
  readonly state: (typeof bulkJobStates)[number];
  /** How many identities were checked. */
  readonly matched: number;
  /** For how many it is done. */
  readonly done: number;
  /** Where it goes on: after the identity with this id. Null: with the administrators, who come first. */
  readonly reached: string | null;
  /** What the check has found; the rules of administrators write and read it. */
  readonly found: object;
  /** Raised by each `advance`. */
  readonly step: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export interface BulkJobStore {
  /** The newest hundred are kept. */
  create(job: BulkJob): Promise<void>;
  find(id: string): Promise<BulkJob | null>;
  /** The newest first. */
  listAll(): Promise<readonly BulkJob[]>;
  /**
   * Notes what was done in a step; together with the changes of that step where they are gathered.
   * @param job as it is afterwards, but with the step before
   * @returns false when another call has made that step meanwhile, or the job is gone
   */
  advance(job: BulkJob): Promise<boolean>;
  /** @returns false when there is none */
  delete(id: string): Promise<boolean>;
}
