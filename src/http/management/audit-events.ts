import { z } from 'zod';
import { getAuditEvent, listAuditEvents } from '../../explain/read-attempts.ts';
import { auditEventListFields } from '../../model/list-fields.ts';
import type { ListedAuditEvent } from '../../store/contracts/audit-events.ts';
import { mapPage } from '../documents/lists.ts';
import { documentsBy, entityRefSchema, timeSchema } from '../documents/wire.ts';
import { type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { resourceRoutes } from './resource.ts';

const fieldValue = z.unknown().describe('As documents show it');

const auditEventSchema = schemaNamed('AuditEvent', {
  id: z.string(),
  at: timeSchema,
  event: z.string().describe('What happened; docs/audit-events.md lists the events'),
  action: z.string().nullable(),
  entity: z.string().nullable().describe('The kind of entity that was changed'),
  entityId: z.string().nullable(),
  identityId: z.string().nullable().describe('The identity that was affected'),
  identity: entityRefSchema.nullable(),
  byIdentityId: z
    .string()
    .nullable()
    .describe('The identity that did it; null: the service itself, or a command on the host'),
  byIdentity: entityRefSchema.nullable(),
  requestId: z.string().nullable(),
  ipAddress: z.string().nullable(),
  issuer: z.string().nullable(),
  changes: z
    .array(z.strictObject({ field: z.string(), from: fieldValue, to: fieldValue }))
    .describe('Fields before and after, as documents show them; of a secret, only that it was changed'),
  details: z.record(z.string(), z.unknown()).describe('The other members of the event; never a secret'),
});

/** `/audit-events`: the recorded changes. */
export function auditEventRoutes(needs: EdgeServices): readonly Route[] {
  return resourceRoutes({
    collection: 'audit-events',
    noun: 'an audit event',
    document: auditEventSchema,
    listFields: auditEventListFields,
    list: async (query) => mapPage(await listAuditEvents(needs, query), auditEventDocument),
    get: async (id) => auditEventDocument(await getAuditEvent(needs, id)),
  });
}

const shown = documentsBy(auditEventSchema);

function auditEventDocument(event: ListedAuditEvent): object {
  const { changes = [], ...details } = event.details;
  return shown({ ...event, changes, details });
}
