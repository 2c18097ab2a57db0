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
   * Stores audit events. With `keepAtMost`, deletes the oldest beyond that number, a few hundred per step. That counts
   * the records, which takes longer the more there are, so do not ask for it with every call. Events already stored are
   * skipped.
   */
  append(records: readonly AuditRecord[], keepAtMost: number | null): Promise<void>;
  list(query: ListQuery): Promise<Page<ListedAuditEvent>>;
  /** Deletes at most `batch` records older than `before`. */
  deleteBefore(before: Millis, batch: number): Promise<number>;
}
