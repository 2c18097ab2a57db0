import { auditEventListFields } from '../../model/list-fields.ts';
import type {
  AuditBound,
  AuditEventStore,
  ListedAuditEvent,
  QueuedWithAudit,
} from '../contracts/audit-events.ts';
import { countOf, evict } from './bounded-trail.ts';
import { insertAll, reader } from './codec.ts';
import { concern } from './concern.ts';
import { deliverEvents, deliverNotice } from './deliveries.ts';
import { among, deleteSome, type Intent, raw, type Sql, sql } from './intent.ts';
import { listSource } from './list-source.ts';

const byName = '(SELECT actors.name FROM identities AS actors WHERE actors.id = audit_events.by_identity_id)';

const listed = listSource('audit_events', auditEventListFields, {
  identity: 'LEFT JOIN',
  columns: { byIdentity: byName },
  inOrder: ['at'],
  select: `${byName} AS by_identity_name`,
});

export const auditEvents = concern<AuditEventStore>()({
  writes: {
    deleteBefore: (before, batch) => deleteSome(those(sql`at < ${before}`), batch),
  },
  intents: {
    /** @param rows with the details as JSON text */
    *appendRows(
      rows: readonly object[],
      bound: AuditBound | null,
      { events, notices = [] }: QueuedWithAudit,
    ): Intent<void> {
      yield* insertAll('audit_events', rows, 'ON CONFLICT (id) DO NOTHING');
      yield* deliverEvents(events);
      for (const notice of notices) yield* deliverNotice(notice);
      if (bound !== null) yield* deleteSurplus(bound, rows.length + mostOverdue);
    },
  },
  methods: ({ write, list, findListed }) => ({
    append(records, bound, queued = { events: [] }) {
      const rows = records.map((record) => ({ ...record, details: JSON.stringify(record.details) }));
      return write('appendRows', [rows, bound, queued]);
    },
    find: (id) => findListed(listed, id, listedAuditEventOf),
    list: (query) => list(listed, query, listedAuditEventOf),
  }),
});

const those = (where: Sql) => ({ table: 'audit_events', where });

/** A step deletes at most this many more than came in, so a table far over its limit shrinks in small steps. */
const mostOverdue = 200;

function* deleteSurplus({ keepAtMost, ofOwners }: AuditBound, most: number): Intent<void> {
  const surplus = (yield* countOf(those(raw('1 = 1')))) - keepAtMost;
  if (surplus <= 0) return;
  const isOfOwner = ofOwners.length === 0 ? raw('1 = 0') : sql`event IN ${among(ofOwners)}`;
  const theirs = those(isOfOwner);
  const areHalf = (yield* countOf(theirs)) > keepAtMost / 2;
  if (areHalf) yield* evict(theirs, [['identity_id']], Math.min(surplus, most));
  else yield* evict(those(sql`NOT (${isOfOwner})`), [['by_identity_id']], Math.min(surplus, most));
}

const listedAuditEventOf = reader<ListedAuditEvent>()(
  'id at event action? entity? entityId? identityId? byIdentityId? requestId? ipAddress? issuer? details:json identityName? byIdentityName?',
);
