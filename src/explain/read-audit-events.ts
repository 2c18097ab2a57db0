import { existing } from '../errors/auth-error.ts';
import { type ListQuery, newestFirst, type Page } from '../model/list-query.ts';
import type { AuditEventStore, ListedAuditEvent } from '../store/contracts/audit-events.ts';
import type { ReadAttemptsNeeds } from './read-attempts.ts';

export interface ReadAuditEventsNeeds extends Pick<ReadAttemptsNeeds, 'attempts'> {
  readonly store: { readonly auditEvents: Pick<AuditEventStore, 'find' | 'list'> };
}

/** Newest first, unless another order is requested. */
export async function listAuditEvents(
  needs: ReadAuditEventsNeeds,
  query: ListQuery,
): Promise<Page<ListedAuditEvent>> {
  await needs.attempts.flush();
  return needs.store.auditEvents.list(newestFirst(query));
}

/** @throws AuthError not_found */
export async function getAuditEvent(needs: ReadAuditEventsNeeds, id: string): Promise<ListedAuditEvent> {
  await needs.attempts.flush();
  return existing(await needs.store.auditEvents.find(id));
}
