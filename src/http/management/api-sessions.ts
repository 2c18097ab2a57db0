import {
  endApiSession,
  getApiSession,
  listApiSessions,
  type NamedApiSession,
} from '../../admin/api-sessions.ts';
import { apiSessionListFields } from '../../model/list-fields.ts';
import type { Route } from '../routes.ts';
import { entityRef, selfLink, wireTime } from '../wire.ts';
import { mapPage } from './map-page.ts';
import type { ManagementNeeds } from './needs.ts';
import { resourceRoutes } from './resource.ts';

/** `/api-sessions`: those that are alive. They open by logging in only. */
export function apiSessionRoutes(needs: ManagementNeeds): readonly Route[] {
  return resourceRoutes({
    collection: 'api-sessions',
    listFields: apiSessionListFields,
    list: async (query) => mapPage(await listApiSessions(needs, query), apiSessionDocument),
    get: async (id) => apiSessionDocument(await getApiSession(needs, id)),
    remove: (by, id) => endApiSession(needs, by, id, 'administrator'),
  });
}

/** A session without its tokens, which nobody but their owner ever sees. */
export function apiSessionDocument(session: NamedApiSession): object {
  const { id, identityId } = session;
  const lastActivityAt = wireTime(session.lastActivityAt);
  return {
    id,
    createdAt: wireTime(session.createdAt),
    updatedAt: lastActivityAt,
    _links: { self: selfLink('api-sessions', id) },
    tags: {},
    mechanism: session.mechanism,
    identityId,
    identity: entityRef('identities', identityId, session.identityName),
    authenticatorId: session.authenticatorId,
    clientId: session.clientId,
    amr: session.passed,
    authTime: wireTime(session.authTime),
    ipAddress: session.ipAddress,
    configTypes: session.configTypes,
    lastActivityAt,
    cachedLastActivityAt: lastActivityAt,
    expiresAt: wireTime(session.expiresAt),
  };
}
