// API and browser sessions as administrators see and end them. Logins open them.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import { asId } from '../model/ids.ts';
import type { NamedBrowserSession } from '../store/contracts/browser-sessions.ts';
import { type AdminCall, actingFor, helping } from './admin-call.ts';
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

/**
 * Ends a session: every node refuses its tokens from the next call on.
 * @param reason `logout` when the owner does it
 * @throws AuthError not_found   it was not alive
 * @throws AuthError forbidden   see `helping`
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

/** @throws AuthError not_found   also for one that has ended or expired */
export async function getBrowserSession(
  { store, clock }: AdminServices,
  id: string,
): Promise<NamedBrowserSession> {
  return existing(await store.browserSessions.find(asId(id), clock.now()));
}

/**
 * Ends one: the next authorization in that browser asks for a login. API sessions that it opened continue.
 * @throws AuthError not_found
 * @throws AuthError forbidden   see `helping`
 */
export async function endBrowserSession(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const { identityId } = (await getBrowserSession(needs, id)).progress;
  const identity = await needs.store.identities.find(identityId);
  const store = identity === null ? actingFor(needs, by) : helping(needs, by, identity);
  existing(await store.browserSessions.end(asId(id), needs.clock.now()));
  const { identityId: byIdentityId } = by.actor;
  const ended = { browserSessionId: id, reason: 'administrator', byIdentityId, identityId } as const;
  needs.audit.record({ event: 'browser-session.ended', ...ended }, by.origin);
}
