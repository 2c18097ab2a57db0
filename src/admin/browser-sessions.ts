// Browser sessions, as administrators see and end them. oidc/ opens them and decides what they allow.

import { existing } from '../errors/auth-error.ts';
import { asId } from '../model/ids.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { NamedBrowserSession } from '../store/contracts/browser-sessions.ts';
import { type AdminCall, actingFor } from './admin-call.ts';
import { helping } from './help-desk.ts';
import type { AdminServices } from './services.ts';

/** Only those that have neither ended nor expired. */
export function listBrowserSessions(
  { store, clock }: AdminServices,
  query: ListQuery,
): Promise<Page<NamedBrowserSession>> {
  return store.browserSessions.list(query, clock.now());
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
 * @throws AuthError forbidden   see help-desk.ts
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
