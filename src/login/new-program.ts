import type { ApiSession } from '../model/api-session.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { NewProgram } from '../model/last-login.ts';

/**
 * Records that somebody has logged in with a program that the identity has not used before, of which the person is told.
 * @param newProgram what opening the session found
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
