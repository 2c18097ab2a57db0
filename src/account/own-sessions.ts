// The caller's own API sessions, of both mechanisms.

import { ofIdentity } from '../admin/list-parameters.ts';
import type { AdminServices } from '../admin/services.ts';
import { endApiSession, type NamedApiSession } from '../admin/sessions.ts';
import { AuthError } from '../errors/auth-error.ts';
import { listLoginAttempts, type ReadAttemptsNeeds } from '../explain/read-attempts.ts';
import { asId } from '../model/ids.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { type OwnCall, ownerOf, type Principal } from '../model/principal.ts';
import type { ListedLastLogin } from '../store/contracts/last-logins.ts';
import type { ListedAttempt } from '../store/contracts/login-attempts.ts';

/** Live sessions only. */
export function listOwnSessions(
  needs: AdminServices,
  { identityId }: Principal,
  query: ListQuery,
): Promise<Page<NamedApiSession>> {
  return needs.store.apiSessions.list(ofIdentity(identityId, query), needs.clock.now());
}

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

/** Also programs without a live session. */
export function listOwnLogins(
  { store }: AdminServices,
  { identityId }: Principal,
  query: ListQuery,
): Promise<Page<ListedLastLogin>> {
  return store.lastLogins.list(ofIdentity(identityId, query));
}

// The caller's own login attempts, including those of others who claimed to be the caller.

/** Newest first, unless another order is requested. */
export function listOwnAttempts(
  needs: ReadAttemptsNeeds,
  { identityId }: Principal,
  query: ListQuery,
): Promise<Page<ListedAttempt>> {
  return listLoginAttempts(needs, ofIdentity(identityId, query));
}
