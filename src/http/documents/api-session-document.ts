import { z } from 'zod';
import type { CertificateExtension } from '../../certificates/client-certificate-issuer.ts';
import { apiSessionListFields, lastLoginListFields } from '../../model/list-fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import type { ShownApiSession } from '../../sessions/own-session-view.ts';
import { schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { mapPage } from './lists.ts';
import { documentsBy, entityHead, entityMembers, entityRefSchema, timeSchema } from './wire.ts';

/** Not proven: words of the client, without invisible characters and shortened. */
export const clientProgramMembers = {
  program: z
    .string()
    .nullable()
    .meta({
      description: 'The name that the browser or program sends; null when it sends none',
      examples: ['Firefox', 'curl 8.5'],
    }),
  operatingSystem: z
    .string()
    .nullable()
    .meta({ description: 'The operating system that it names', examples: ['Linux'] }),
};

export const apiSessionSchema = schemaNamed('ApiSession', {
  ...entityMembers,
  mechanism: z.enum(['oidc', 'legacy']),
  identityId: z.string(),
  identity: entityRefSchema,
  authenticatorId: z.string().nullable(),
  clientId: z.string(),
  amr: z.array(z.string()),
  authTime: timeSchema,
  ipAddress: z.string().describe('From where the session was last used'),
  loginIpAddress: z
    .string()
    .nullable()
    .describe('From where the person logged in; null when that is not known'),
  ...clientProgramMembers,
  keyThumbprint: z
    .string()
    .nullable()
    .describe('The key to which its tokens are bound (RFC 9449, RFC 7638); null for none'),
  configTypes: z.array(z.string()),
  lastActivityAt: timeSchema,
  cachedLastActivityAt: timeSchema,
  expiresAt: timeSchema,
});

const lastLoginSchema = z
  .strictObject({
    id: z.string(),
    identityId: z.string(),
    identity: entityRefSchema,
    clientId: z.string().meta({ description: 'Empty: by the legacy mechanism' }),
    ...clientProgramMembers,
    ipAddress: z.string().meta({ description: 'From where the last login came' }),
    firstAt: timeSchema,
    lastAt: timeSchema.meta({ description: 'To the minute' }),
  })
  .meta({ id: 'LastLogin', description: 'An identity, an application, and a program with which it logs in' });

const lastLoginDocument = documentsBy(lastLoginSchema);

/** Last logins, for every list of some: also those whose sessions have ended. */
export function lastLoginList({ store }: EdgeServices) {
  return {
    document: lastLoginSchema,
    listFields: lastLoginListFields,
    list: async (query: ListQuery) => mapPage(await store.lastLogins.list(query), lastLoginDocument),
  };
}

const authQuerySchema = z
  .strictObject({
    typeId: z.string(),
    format: z.string().optional(),
    httpMethod: z.string().optional(),
    httpUrl: z.string().optional(),
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    provider: z.string(),
    isTotpEnrolled: z.boolean().optional(),
    isPasskeyEnrolled: z.boolean().optional(),
    id: z.string().optional(),
    issuer: z.string().optional(),
    clientId: z.string().optional(),
    scopes: z.array(z.string()).optional(),
  })
  .meta({ id: 'AuthQuery', description: 'A factor that is still missing before the login is complete' });
export const authQueriesSchema = z.array(authQuerySchema);

/** A session as its owner sees it. */
export const ownApiSessionSchema = schemaNamed('OwnApiSession', {
  ...apiSessionSchema.shape,
  authQueries: authQueriesSchema,
  expirationSeconds: z.int(),
  isCertExtendable: z.boolean(),
  isCertExtendRequested: z.boolean(),
  isCertKeyRollRequested: z.boolean(),
});

/** By this, existing clients know that they have to replace their certificate. */
export function extensionMembers({ isExtendable, isRequested, isKeyRollRequested }: CertificateExtension) {
  return {
    isCertExtendable: isExtendable,
    isCertExtendRequested: isRequested,
    isCertKeyRollRequested: isKeyRollRequested,
  };
}

const shown = documentsBy(apiSessionSchema);

/** A session without its tokens: only their owner ever sees them. */
export function apiSessionDocument(session: ShownApiSession) {
  const { lastActivityAt } = session;
  return shown({
    ...session,
    ...entityHead('api-sessions', { ...session, updatedAt: lastActivityAt }),
    amr: session.passed,
    cachedLastActivityAt: lastActivityAt,
  });
}

/** Live sessions, for every list of some. */
export function apiSessionList({ store, clock }: EdgeServices) {
  return {
    document: apiSessionSchema,
    listFields: apiSessionListFields,
    list: async (query: ListQuery) =>
      mapPage(await store.apiSessions.list(query, clock.now()), apiSessionDocument),
  };
}
