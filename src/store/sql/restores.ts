import { eventKinds, queueOf } from '../../model/delivery.ts';
import type { Millis } from '../../platform/clock.ts';
import type { RestoreStore } from '../contracts/restores.ts';
import { insert, insertOr, integer, text } from './codec.ts';
import { concern } from './concern.ts';
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
      for (const table of emptiedTables) yield* run(`DELETE FROM ${table}`);
      yield* run(withdrawSuccessors);
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

/**
 * The tables that a restore empties: items that were issued and could be presented later, of which it is unknown whether they were
 * used since the backup. The test of restores names every other table and column, so that no new one is forgotten.
 */
export const emptiedTables: readonly string[] = [
  // A code that waits for a device would open a session.
  'device_logins',
  'auth_requests',
  'browser_sessions',
  'session_certificates',
  'api_sessions',
  // Keys withdrawn since, because others knew them, would sign again.
  'signing_keys',
  // Codes, refresh tokens, session tokens and sealed authorization requests issued after the backup would be valid with
  // these alone.
  'server_secrets',
  'setup_links',
  // Its administrator decided on the present people.
  'bulk_jobs',
  'bulk_job_pieces',
  'enrollments',
  'invitations',
  'recovery_codes',
  'pending_totp',
  'nodes',
  // One row: the restore that produced this database.
  'restores',
];

/** A key roll requested after the backup would have withdrawn it. */
const withdrawSuccessors = `UPDATE authenticators SET successor_pem = NULL, successor_thumbprint = NULL
  WHERE successor_pem IS NOT NULL OR successor_thumbprint IS NOT NULL`;

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
