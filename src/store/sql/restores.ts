import { eventKinds, queueOf } from '../../model/delivery.ts';
import { describedEntities } from '../../model/entities/all-entities.ts';
import type { Millis } from '../../platform/clock.ts';
import type { RestoreStore } from '../contracts/restores.ts';
import { insert, insertOr, integer, text } from './codec.ts';
import { concern } from './concern.ts';
import { columnsOf } from './entity-table.ts';
import { first, type Intent, run } from './intent.ts';

export const restores = concern<RestoreStore>()({
  writes: {
    *withdrawEverythingIssued(restore) {
      const counted = yield* first`SELECT
           (SELECT count(*) FROM api_sessions WHERE ended_at IS NULL AND expires_at > ${restore.now}) AS sessions,
           (SELECT count(*) FROM recovery_codes WHERE used_at IS NULL) AS codes,
           (SELECT count(*) FROM setup_links WHERE used_at IS NULL AND expires_at > ${restore.now}) AS links,
           (SELECT count(*) FROM enrollments WHERE expires_at > ${restore.now}) AS enrollments,
           (SELECT count(*) FROM invitations WHERE expires_at > ${restore.now}) AS invitations`;
      for (const withdrawal of withdrawals) yield* run(withdrawal);
      yield* keepEvents(restore.now);
      yield* run`UPDATE totp_enrollments SET last_step = ${restore.totpStep}
        WHERE last_step < ${restore.totpStep}`;
      yield* insert('restores', { id: restore.id, restoredAt: restore.now });
      const counts = counted ?? {};
      return {
        sessions: integer(counts, 'sessions'),
        recoveryCodes: integer(counts, 'codes'),
        setupLinks: integer(counts, 'links'),
        enrollments: integer(counts, 'enrollments'),
        invitations: integer(counts, 'invitations'),
      };
    },
    /** One row. A slow backup may be told after a later one. */
    *noteBackup(at) {
      const later =
        'CASE WHEN excluded.made_at > backups.made_at THEN excluded.made_at ELSE backups.made_at END';
      yield* insertOr(
        'backups',
        { id: 'last', madeAt: at },
        `ON CONFLICT (id) DO UPDATE SET made_at = ${later}`,
      );
    },
  },
  methods: ({ find }) => ({
    lastBackup: () => find((row) => integer(row, 'made_at'), 'SELECT made_at FROM backups'),
    latest: () => find((row) => text(row, 'id'), 'SELECT id FROM restores'),
  }),
});

/** Column names, by the action of a restore. */
interface ColumnRules {
  /** Describes people, or was set by people and administrators. */
  readonly kept: string;
  /** Set to null: it was issued and could be presented later. */
  readonly withdrawn?: string;
  /** Set to a value that excludes everything issued before. */
  readonly movedOn?: string;
}

/**
 * The effect of a restore on each table and column. An `emptied` table contains items that were issued and could be
 * presented later; it is unknown which of them were used since the backup. Every new table or column has to be listed
 * here: a test compares this with the schema.
 */
export const restoreRules: Readonly<Record<string, 'emptied' | ColumnRules>> = {
  ...Object.fromEntries(
    describedEntities.map((entity) => [entity.table, { kept: columnsOf(entity).join(' ') }]),
  ),
  schema_version: { kept: 'version usable_by' },
  authenticators: {
    kept: `id identity_id method username username_key password_hash password_set_at cert_pem thumbprint cert_expires_at
      is_extend_requested is_key_roll_requested tags created_at updated_at`,
    // A key roll requested after the backup would have withdrawn it.
    withdrawn: 'successor_pem successor_thumbprint',
  },
  names: { kept: 'identity_id kind key' },
  client_info: { kept: 'identity_id env_info sdk_info' },
  last_logins: { kept: 'id identity_id client_id program operating_system ip_address first_at last_at' },
  // Like passwords: they still belong to their owners.
  oidc_client_secrets: { kept: 'id client_id secret_hash created_at last_used_at' },
  // Items that were used before the backup stay used.
  used_assertions: { kept: 'id expires_at' },
  // A code that waits for a device would open a session.
  device_logins: 'emptied',
  // They refer to items that were issued before and no longer count.
  revocations: { kept: 'id type issued_before expires_at tags created_at updated_at' },
  auth_requests: 'emptied',
  browser_sessions: 'emptied',
  session_certificates: 'emptied',
  api_sessions: 'emptied',
  // Keys withdrawn since, because others knew them, would sign again.
  signing_keys: 'emptied',
  // Codes, refresh tokens, session tokens and sealed authorization requests issued after the backup would be valid with
  // these alone.
  server_secrets: 'emptied',
  // An older list is not accepted in the place of a newer one that the backup has.
  revocation_lists: {
    kept: `ca_id url tried_at error fetched_at issuer_pem der issuer is_delta list_number this_update next_update entries`,
  },
  setup_links: 'emptied',
  // Its administrator decided on the present people.
  bulk_jobs: 'emptied',
  bulk_job_pieces: 'emptied',
  enrollments: 'emptied',
  invitations: 'emptied',
  totp_enrollments: { kept: 'identity_id sealed_seed enrolled_at', movedOn: 'last_step' },
  recovery_codes: 'emptied',
  // The counter of the backup is lower than that of the authenticator: the next use is accepted.
  passkeys: {
    kept: `id identity_id name rp_id credential_id public_key counter aaguid is_model_proven transports is_discoverable is_backup_eligible
      is_backed_up cloned_at created_at last_used_at`,
  },
  pending_totp: 'emptied',
  // A lock set before the backup still applies.
  attempts: { kept: 'key failures locks locked_until forget_at' },
  login_attempts: {
    kept: 'id reference at step mechanism outcome reason identity_id subject ip_address issuer checks source',
  },
  audit_events: {
    kept: 'id at event action entity entity_id identity_id by_identity_id request_id ip_address issuer details',
  },
  changes: { kept: 'seq kind entity_id at transaction_id' },
  // So that withdrawn items are not imported again.
  imports: { kept: 'kind id digest updated_at' },
  nodes: 'emptied',
  // The deliveries of event subscriptions, see `keepEvents`.
  deliveries: { kept: 'seq queue id payload state attempts due_at created_at last_attempt_at result' },
  delivery_queues: { kept: 'queue failures paused_until holder held_until' },
  // One row: the restore that produced this database.
  restores: 'emptied',
  backups: { kept: 'id made_at' },
};

/** The statements that withdraw everything issued. */
const withdrawals: readonly string[] = Object.entries(restoreRules).flatMap(([table, rule]) => {
  if (rule === 'emptied') return [`DELETE FROM ${table}`];
  const columns = rule.withdrawn?.split(' ') ?? [];
  if (columns.length === 0) return [];
  const issued = columns.map((column) => `${column} IS NOT NULL`).join(' OR ');
  return [`UPDATE ${table} SET ${columns.map((column) => `${column} = NULL`).join(', ')} WHERE ${issued}`];
});

/**
 * It is unknown which deliveries were made since the backup. Events are sent again, at once and for as long as new
 * ones, since their receivers know them by their ids; all other deliveries are dropped.
 */
function* keepEvents(now: Millis): Intent<void> {
  const isOther = eventKinds.map((kind) => `queue NOT LIKE '${queueOf(kind, '%')}'`).join(' AND ');
  yield* run(`DELETE FROM deliveries WHERE ${isOther}`);
  yield* run(`DELETE FROM delivery_queues WHERE ${isOther}`);
  yield* run(`UPDATE deliveries SET created_at = ?, due_at = 0 WHERE state = 'waiting'`, now);
  yield* run('UPDATE delivery_queues SET failures = 0, paused_until = 0, holder = NULL, held_until = 0');
}
