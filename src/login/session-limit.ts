import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { IdentityId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';

export interface SessionLimitNeeds {
  readonly store: { readonly apiSessions: Pick<ApiSessionStore, 'endOldestOf'> };
  readonly clock: Clock;
  readonly audit: AuditTrail;
  /** How many live sessions one identity may have. */
  readonly maxSessionsPerIdentity: number;
}

/**
 * Ends the oldest sessions of an identity that has opened one more than it may have: whoever can log in could otherwise
 * fill the store and the memory of every node.
 */
export async function endOldestSessions(
  needs: SessionLimitNeeds,
  identityId: IdentityId,
  origin: RequestOrigin,
): Promise<void> {
  const { apiSessions } = needs.store;
  const ended = await apiSessions.endOldestOf(identityId, needs.maxSessionsPerIdentity, needs.clock.now());
  for (const sessionId of ended) {
    needs.audit.record({ event: 'session.ended', sessionId, reason: 'too-many', byIdentityId: null }, origin);
  }
}
