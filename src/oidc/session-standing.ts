// A session is judged again when its code is redeemed and at each refresh: what an administrator has changed since the
// login holds at once.

import { AuthError } from '../errors/auth-error.ts';
import { outstandingFactors } from '../login/outstanding-factors.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { AuthPolicy } from '../model/auth-policy.ts';
import type { Clock } from '../platform/clock.ts';
import type { SessionView } from '../sessions/session-view.ts';
import { openingObjection } from '../sessions/still-good.ts';

export interface SessionStandingNeeds {
  readonly view: Pick<SessionView, 'accounts' | 'signers' | 'authorities'>;
  readonly clock: Clock;
  readonly audit: AuditTrail;
}

/** Refuses to go on with a session that `standingObjection` has something against. @throws AuthError invalid_grant */
export async function requireGoodStanding(
  needs: SessionStandingNeeds,
  session: ApiSession,
  origin: RequestOrigin,
): Promise<void> {
  const account = await needs.view.accounts.find(session.identityId, needs.clock.now());
  const reason = account === null ? null : standingObjection(needs, session, account.policy);
  if (reason === null) return;
  const { id: sessionId, clientId } = session;
  needs.audit.record({ event: 'refresh.refused', reason, sessionId, clientId }, origin);
  throw new AuthError('invalid_grant', { detail: `refresh refused: ${reason}` });
}

/**
 * Why a session would not be opened today: its primary proof no longer counts, or the policy asks for a factor that was
 * never proven; null when it would be. Reads memory; nothing is used up. Whether the identity is enabled is the store's
 * to decide, in the statement that redeems or rotates.
 * @param policy of the identity, as it is now
 */
export function standingObjection(
  { view }: { readonly view: Pick<SessionView, 'signers' | 'authorities'> },
  session: ApiSession,
  policy: Pick<AuthPolicy, 'primary' | 'secondary'>,
): string | null {
  const opening = openingObjection(view, policy, session);
  if (opening !== null) return opening;
  // Enrolment alone asks for a code at the next login, not of sessions that are open (spec 3.2).
  const outstanding = outstandingFactors(policy, { isEnrolled: false }, session.passed);
  return outstanding.length === 0 ? null : 'factors-outstanding';
}
