import type { AuditRecord } from '../../model/audit-event.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { QueuedNotice } from '../../model/mail.ts';
import type { Millis } from '../../platform/clock.ts';
import type { QueuedEvent } from './deliveries.ts';

/** An audit event as administrators see it; a name is null when the identity is unknown or deleted. */
export interface ListedAuditEvent extends AuditRecord {
  readonly identityName: string | null;
  readonly byIdentityName: string | null;
}

/** How many audit events are kept. */
export interface AuditBound {
  /** Beyond it, the actor with the most events loses the oldest. */
  readonly keepAtMost: number;
  /**
   * Events that the owner of an account can cause. Once they are more than half of all, those of the owner with the most
   * go first: a person who changes their own account again and again cannot push out the events of administrators.
   */
  readonly ofOwners: readonly AuditRecord['event'][];
}

/** Deliveries about audit events. */
export interface QueuedWithAudit {
  /** For event subscriptions. */
  readonly events: readonly QueuedEvent[];
  /** For the people whom they are about. */
  readonly notices?: readonly QueuedNotice[];
}

export interface AuditEventStore {
  /**
   * Stores audit events. With a bound, deletes those beyond it, a few hundred per step. That counts the records, which
   * takes longer the more there are, so do not ask for it with every call. Events already stored are skipped.
   * @param queued deliveries about them, queued in the same step
   */
  append(records: readonly AuditRecord[], bound: AuditBound | null, queued?: QueuedWithAudit): Promise<void>;
  find(id: string): Promise<ListedAuditEvent | null>;
  list(query: ListQuery): Promise<Page<ListedAuditEvent>>;
  /** Deletes at most `batch` records older than `before`. */
  deleteBefore(before: Millis, batch: number): Promise<number>;
}
