// The caller's own API sessions, of both mechanisms.

import type { AdminServices } from '../admin/services.ts';
import { endApiSession } from '../admin/sessions.ts';
import { AuthError } from '../errors/auth-error.ts';
import { asId } from '../model/ids.ts';
import { type OwnCall, ownerOf } from '../model/principal.ts';

/** Ends one, possibly that of this call. @throws AuthError not_found   also for a session of another identity */
export async function endOwnSession(
  needs: AdminServices,
  { caller, origin }: OwnCall,
  id: string,
): Promise<void> {
  const session = await needs.store.apiSessions.find(asId(id));
  if (session?.identityId !== caller.identityId) throw new AuthError('not_found');
  const by = { actor: ownerOf(caller), isAdmin: caller.isAdmin, origin, isForced: false, unchanged: null };
  await endApiSession(needs, by, { id, reason: 'logout' });
}

/** Ends all sessions but that of this call, and every unfinished login. @returns how many sessions */
export async function endOtherSessions(needs: AdminServices, { caller, origin }: OwnCall): Promise<number> {
  const { identityId, apiSessionId } = caller;
  const now = needs.clock.now();
  const { apiSessions } = needs.store.onBehalfOf(ownerOf(caller), now);
  const ended = await apiSessions.endOthers({ id: apiSessionId, identityId }, 'logout', now);
  needs.audit.record({ event: 'account.changed', change: 'other-sessions-ended', identityId }, origin);
  return ended;
}
