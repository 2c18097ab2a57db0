// Steps after a login has opened a session: older sessions give way, and the person is told of a new program.

import type { ApiSession } from '../model/api-session.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { NewProgram } from '../model/last-login.ts';
import type { EndingOrder } from '../store/contracts/api-sessions.ts';
import { StoreUnavailable } from '../store/contracts/store.ts';
import type { LoginServices } from './services.ts';

/** The session that a login has opened, and its proofs. */
export interface OpenedSession extends Pick<ApiSession, 'identityId' | 'passed'> {
  readonly lacksFactors: boolean;
}

/**
 * A thief of the password alone can open any number of sessions that lack a factor. These replace one another, and give
 * way to complete sessions.
 */
function orderOf({ passed, lacksFactors }: OpenedSession): EndingOrder {
  // `user`, the presence of a person, is no proof of its own.
  if (passed.filter((method) => method !== 'user').length > 1) return 'single-proof';
  return lacksFactors ? 'only-single-proof' : 'oldest';
}

/**
 * Ends the oldest sessions of an identity that has more than it may have. Otherwise anybody who can log in could fill
 * the store and the memory of every node.
 */
export async function endOldestSessions(
  needs: LoginServices,
  opened: OpenedSession,
  origin: RequestOrigin,
): Promise<void> {
  const end = { now: needs.clock.now(), order: orderOf(opened) };
  const step = needs.store.apiSessions.endOldestOf(opened.identityId, needs.maxSessionsPerIdentity, end);
  // By now the new session is open and its code or password used up. It must not be lost because an older session
  // cannot be ended at this moment. The next login ends that one.
  const ended = await step.catch((error) => {
    if (error instanceof StoreUnavailable) return [];
    throw error;
  });
  for (const sessionId of ended)
    needs.audit.record({ event: 'session.ended', sessionId, reason: 'too-many', byIdentityId: null }, origin);
}

/**
 * Records a login with a program that the identity has not used before. The person is told of it.
 * @param newProgram found when the session was opened
 */
export function recordNewProgram(
  { audit }: { audit: AuditTrail },
  { session, origin }: { session: Pick<ApiSession, 'id' | 'identityId' | 'clientId'>; origin: RequestOrigin },
  newProgram: NewProgram | null,
): void {
  if (newProgram === null) return;
  const { id: sessionId, identityId, clientId } = session;
  const { ipAddress, ...program } = newProgram;
  // Where the person is: the code may have been redeemed by the server of an application.
  audit.record(
    { event: 'login.new-program', identityId, sessionId, clientId, ...program },
    { ...origin, ipAddress },
  );
}
