import { z } from 'zod';
import { endApiSession, endBrowserSession, getApiSession, getBrowserSession } from '../../admin/sessions.ts';
import { browserSessionListFields } from '../../model/list-fields.ts';
import type { NamedBrowserSession } from '../../store/contracts/browser-sessions.ts';
import {
  apiSessionDocument,
  apiSessionList,
  clientProgramMembers,
  lastLoginList,
} from '../documents/api-session-document.ts';
import { listRules, mapPage } from '../documents/lists.ts';
import { documentsBy, entityHead, entityMembers, entityRefSchema, timeSchema } from '../documents/wire.ts';
import { adminRoute, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { resourceRoutes } from './resource.ts';

const browserSessionSchema = z
  .strictObject({
    ...entityMembers,
    identityId: z.string(),
    identity: entityRefSchema,
    issuer: z.string(),
    amr: z.array(z.string()),
    authTime: timeSchema,
    applications: z.array(z.string()).describe('The applications that the person has signed in to with it'),
    ipAddress: z.string().describe('From where the person logged in'),
    ...clientProgramMembers,
    lastUsedAt: timeSchema,
    expiresAt: timeSchema,
  })
  .meta({ id: 'BrowserSession', description: 'A browser in which a person is signed in' });

/** `/browser-sessions`: live sessions. Only a login on the pages opens them. */
export function browserSessionRoutes(needs: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'browser-sessions',
    noun: 'a browser session',
    document: browserSessionSchema,
    listFields: browserSessionListFields,
    list: async (query) =>
      mapPage(await needs.store.browserSessions.list(query, needs.clock.now()), browserSessionDocument),
    get: async (id) => browserSessionDocument(await getBrowserSession(needs, id)),
    permissions: { delete: 'helpdesk' },
    remove: (by, id) => endBrowserSession(needs, by, id),
  });
}

const shown = documentsBy(browserSessionSchema);

/** A session without its cookie, which only the browser has. */
function browserSessionDocument({ id, progress, ...session }: NamedBrowserSession): object {
  const { identityId, passed: amr, authTime, place } = progress;
  const { program = null, operatingSystem = null } = place ?? {};
  const head = entityHead('browser-sessions', { ...session, id, updatedAt: session.lastUsedAt });
  return shown({ ...session, ...head, identityId, amr, authTime, program, operatingSystem });
}

/** `/last-logins`: also those whose sessions have ended. */
export function lastLoginRoutes(needs: EdgeServices): readonly Route[] {
  const logins = lastLoginList(needs);
  return [
    adminRoute('GET', 'last-logins', {
      operationId: 'listLastLogins',
      summary: 'List the first and the last login of each identity, application and program',
      ...listRules(logins, (query) => logins.list(query)),
    }),
  ];
}

/** `/api-sessions`: live sessions. Only a login opens them. */
export function apiSessionRoutes(needs: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'api-sessions',
    noun: 'an API session',
    ...apiSessionList(needs),
    get: async (id) => apiSessionDocument(await getApiSession(needs, id)),
    permissions: { delete: 'helpdesk' },
    remove: (by, id) => endApiSession(needs, by, { id, reason: 'administrator' }),
  });
}
