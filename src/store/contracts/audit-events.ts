import type { AuditRecord } from '../../model/audit-event.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

/** An audit event as administrators see it; a name is null when the identity is unknown or deleted. */
export interface ListedAuditEvent extends AuditRecord {
  readonly identityName: string | null;
  readonly byIdentityName: string | null;
}

export interface AuditEventStore {
  /**
   * Keeps audit events. With `keepAtMost` the oldest beyond that number go, a few hundred at most in one step; this
   * counts the records, which takes as long as there are many, so it is not for each call. One that is there already stays.
   */
  append(records: readonly AuditRecord[], keepAtMost: number | null): Promise<void>;
  list(query: ListQuery): Promise<Page<ListedAuditEvent>>;
  /** Deletes at most `batch` records from before `before`. */
  deleteBefore(before: Millis, batch: number): Promise<number>;
}
