import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { IdentityId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';
import { StoreUnavailable } from '../store/contracts/store.ts';

export interface SessionLimitNeeds {
  readonly store: { readonly apiSessions: Pick<ApiSessionStore, 'endOldestOf'> };
  readonly clock: Clock;
  readonly audit: AuditTrail;
  /** How many live sessions one identity may have. */
  readonly maxSessionsPerIdentity: number;
}

// By now the new session is open and its code or password used up. It must not be lost because an older session cannot
// be ended at this moment. The next login ends that one.
async function endOldest(needs: SessionLimitNeeds, identityId: IdentityId) {
  try {
    const { apiSessions } = needs.store;
    return await apiSessions.endOldestOf(identityId, needs.maxSessionsPerIdentity, needs.clock.now());
  } catch (error) {
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
}

/**
 * Ends the oldest sessions of an identity that has more than it may have. Otherwise anybody who can log in could fill
 * the store and the memory of every node.
 */
export async function endOldestSessions(
  needs: SessionLimitNeeds,
  identityId: IdentityId,
  origin: RequestOrigin,
): Promise<void> {
  const ended = await endOldest(needs, identityId);
  for (const sessionId of ended) {
    needs.audit.record({ event: 'session.ended', sessionId, reason: 'too-many', byIdentityId: null }, origin);
  }
}
