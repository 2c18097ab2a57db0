import { existing } from '../errors/auth-error.ts';
import type { KeptAuditTrail } from '../model/audit-event.ts';
import { type ListQuery, newestFirst, type Page } from '../model/list-query.ts';
import type { AuditEventStore, ListedAuditEvent } from '../store/contracts/audit-events.ts';

export interface ReadAuditEventsNeeds {
  readonly store: { readonly auditEvents: Pick<AuditEventStore, 'find' | 'list'> };
  readonly audit: Pick<KeptAuditTrail, 'kept'>;
}

/** Newest first, unless another order is requested. */
export async function listAuditEvents(
  needs: ReadAuditEventsNeeds,
  query: ListQuery,
): Promise<Page<ListedAuditEvent>> {
  await needs.audit.kept();
  return needs.store.auditEvents.list(newestFirst(query));
}

/** @throws AuthError not_found */
export async function getAuditEvent(needs: ReadAuditEventsNeeds, id: string): Promise<ListedAuditEvent> {
  await needs.audit.kept();
  return existing(await needs.store.auditEvents.find(id));
}
