import { endApiSession, getApiSession, listApiSessions } from '../../admin/api-sessions.ts';
import { apiSessionListFields } from '../../model/list-fields.ts';
import { apiSessionDocument, apiSessionSchema } from '../documents/api-session-document.ts';
import { mapPage } from '../documents/lists.ts';
import type { Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { resourceRoutes } from './resource.ts';

/** `/api-sessions`: live sessions. Only a login opens them. */
export function apiSessionRoutes(needs: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'api-sessions',
    noun: 'an API session',
    document: apiSessionSchema,
    listFields: apiSessionListFields,
    list: async (query) => mapPage(await listApiSessions(needs, query), apiSessionDocument),
    get: async (id) => apiSessionDocument(await getApiSession(needs, id)),
    permissions: { delete: 'helpdesk' },
    remove: (by, id) => endApiSession(needs, by, { id, reason: 'administrator' }),
  });
}
