import type { AuditRecord } from '../../model/audit-event.ts';
import { auditEventListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type { AuditBound, AuditEventStore } from '../contracts/audit-events.ts';
import { countOf, evict } from './bounded-trail.ts';
import { type Database, integer, text, textOrNull } from './codec.ts';
import { all, type Intent, run, type SqlRow } from './intent.ts';
import { listSource } from './list-source.ts';

const byName = '(SELECT actors.name FROM identities AS actors WHERE actors.id = audit_events.by_identity_id)';

const listed = listSource('audit_events', auditEventListFields, {
  identity: 'LEFT JOIN',
  columns: { byIdentity: byName },
  select: `${byName} AS by_identity_name`,
});

export const auditEventIntents = { appendAuditEvents, deleteAuditEvents } as const;

export function auditEventStore({
  write,
  list,
  listed: named,
}: Database<typeof auditEventIntents>): AuditEventStore {
  return {
    append: (records, bound) => write('appendAuditEvents', { records: records.map(auditEventRow), bound }),
    async find(id) {
      const [found = null] = await named(listed, { field: 'id', value: id }, listedAuditEventOf);
      return found;
    },
    list: (query) => list(listed, query, listedAuditEventOf),
    deleteBefore: (before, batch) => write('deleteAuditEvents', { before, batch }),
  };
}

/** A record as the intent receives it: details as the JSON text of their column. */
type AuditEventRow = Omit<AuditRecord, 'details'> & { readonly details: string };

function auditEventRow(record: AuditRecord): AuditEventRow {
  return { ...record, details: JSON.stringify(record.details) };
}

/** A step deletes at most this many more than came in, so a table far over its limit shrinks in small steps. */
const mostOverdue = 200;

function* appendAuditEvents(args: {
  readonly records: readonly AuditEventRow[];
  readonly bound: AuditBound | null;
}): Intent<void> {
  for (const record of args.records) {
    yield* run(
      `INSERT INTO audit_events (id, at, event, action, entity, entity_id, identity_id, by_identity_id, request_id,
         ip_address, issuer, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      record.id,
      record.at,
      record.event,
      record.action,
      record.entity,
      record.entityId,
      record.identityId,
      record.byIdentityId,
      record.requestId,
      record.ipAddress,
      record.issuer,
      record.details,
    );
  }
  if (args.bound !== null) yield* deleteSurplus(args.bound, args.records.length + mostOverdue);
}

function* deleteSurplus({ keepAtMost, ofOwners }: AuditBound, most: number): Intent<void> {
  const all = { table: 'audit_events', where: '1 = 1', params: [] };
  const surplus = (yield* countOf(all)) - keepAtMost;
  if (surplus <= 0) return;
  const isOfOwner = ofOwners.length === 0 ? '1 = 0' : `event IN (${ofOwners.map(() => '?').join(', ')})`;
  const theirs = { ...all, where: isOfOwner, params: ofOwners };
  const areHalf = (yield* countOf(theirs)) > keepAtMost / 2;
  const others = { ...theirs, where: `NOT (${isOfOwner})` };
  if (areHalf) yield* evict(theirs, [['identity_id']], Math.min(surplus, most));
  else yield* evict(others, [['by_identity_id']], Math.min(surplus, most));
}

function* deleteAuditEvents(args: { readonly before: Millis; readonly batch: number }): Intent<number> {
  const rows = yield* all(
    'DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE at < ? LIMIT ?) RETURNING id',
    args.before,
    args.batch,
  );
  return rows.length;
}

function listedAuditEventOf(row: SqlRow) {
  return {
    id: text(row, 'id'),
    at: integer(row, 'at'),
    event: text(row, 'event') as AuditRecord['event'],
    action: textOrNull(row, 'action'),
    entity: textOrNull(row, 'entity'),
    entityId: textOrNull(row, 'entity_id'),
    identityId: textOrNull(row, 'identity_id'),
    byIdentityId: textOrNull(row, 'by_identity_id'),
    requestId: textOrNull(row, 'request_id'),
    ipAddress: textOrNull(row, 'ip_address'),
    issuer: textOrNull(row, 'issuer'),
    details: JSON.parse(text(row, 'details')) as AuditRecord['details'],
    identityName: textOrNull(row, 'identity_name'),
    byIdentityName: textOrNull(row, 'by_identity_name'),
  };
}
