// API sessions as an administrator sees them, and their end. The login mechanisms open them.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import { asId } from '../model/ids.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { type AdminCall, actingFor } from './admin-call.ts';
import { helping } from './help-desk.ts';
import type { AdminServices } from './services.ts';

export type NamedApiSession = ApiSession & { readonly identityName: string };

/** A live session. @throws AuthError not_found   also for one that has ended or expired */
export async function getApiSession(needs: AdminServices, id: string): Promise<NamedApiSession> {
  const session = await findLiving(needs, id);
  const identity = existing(await needs.store.identities.find(session.identityId));
  return { ...session, identityName: identity.name };
}

async function findLiving(needs: AdminServices, id: string): Promise<ApiSession> {
  const session = await needs.store.apiSessions.find(asId(id));
  if (session === null || session.endedAt !== null || session.expiresAt <= needs.clock.now())
    throw new AuthError('not_found');
  return session;
}

/** Live sessions only. */
export function listApiSessions(needs: AdminServices, query: ListQuery): Promise<Page<NamedApiSession>> {
  return needs.store.apiSessions.list(query, needs.clock.now());
}

/**
 * Ends a session: every node refuses its tokens from the next call on.
 * @param reason `logout` when the owner does it
 * @throws AuthError not_found   it was not alive
 * @throws AuthError forbidden   see help-desk.ts
 */
export async function endApiSession(
  needs: AdminServices,
  by: AdminCall,
  { id, reason }: { readonly id: string; readonly reason: 'administrator' | 'logout' },
): Promise<void> {
  const owner =
    reason === 'logout' ? null : await needs.store.identities.find((await findLiving(needs, id)).identityId);
  const store = owner === null ? actingFor(needs, by) : helping(needs, by, owner);
  existing(await store.apiSessions.end(asId(id), reason, needs.clock.now()));
  const ended = { sessionId: id, reason, byIdentityId: by.actor.identityId };
  const of = owner === null ? {} : { identityId: owner.id };
  needs.audit.record({ event: 'session.ended', ...ended, ...of }, by.origin);
}
