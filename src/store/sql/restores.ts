import type { Millis } from '../../platform/clock.ts';
import type { RestoreStore, Withdrawn } from '../contracts/restores.ts';
import { integer, text } from './codec.ts';
import type { Database } from './database.ts';
import { first, type Intent } from './intent.ts';

export const restoreIntents = { withdrawEverythingIssued } as const;

export function restoreStore({ write, find }: Database): RestoreStore {
  return {
    withdrawEverythingIssued: (restore) => write('withdrawEverythingIssued', restore),
    latest: () => find((row) => text(row, 'id'), latestRestoreSql),
  };
}

/**
 * What a restore does with each table. A table that is `emptied` holds what was issued, to be presented later: of a
 * row nobody knows whether it was used since the backup. `kept` is what people and administrators are and have set.
 * A new table belongs to one of them; a test holds this against the schema.
 */
export const restoreRules: Readonly<Record<string, 'emptied' | 'kept'>> = {
  schema_version: 'kept',
  auth_policies: 'kept',
  identities: 'kept',
  authenticators: 'kept',
  client_info: 'kept',
  external_jwt_signers: 'kept',
  cas: 'kept',
  config_types: 'kept',
  // What they are about was issued before, and counts no more.
  revocations: 'kept',
  auth_requests: 'emptied',
  session_certificates: 'emptied',
  api_sessions: 'emptied',
  // Those that were withdrawn since, because others knew them, would sign again.
  signing_keys: 'emptied',
  // Codes, refresh and session tokens, and sealed authorization requests of after the backup are good by them alone.
  server_secrets: 'emptied',
  setup_links: 'emptied',
  enrollments: 'emptied',
  // Kept, but moved on: see below.
  totp_enrollments: 'kept',
  recovery_codes: 'emptied',
  pending_totp: 'emptied',
  // A lock that was set before the backup still holds.
  attempts: 'kept',
  login_attempts: 'kept',
  changes: 'kept',
  nodes: 'emptied',
  // There is one row: the restore of which this database is.
  restores: 'emptied',
};

const emptied = Object.keys(restoreRules).filter((table) => restoreRules[table] === 'emptied');

function* withdrawEverythingIssued(restore: {
  readonly id: string;
  readonly totpStep: number;
  readonly now: Millis;
}): Intent<Withdrawn> {
  const counted = yield* first(
    `SELECT
       (SELECT count(*) FROM api_sessions WHERE ended_at IS NULL AND expires_at > ?) AS sessions,
       (SELECT count(*) FROM recovery_codes WHERE used_at IS NULL) AS codes,
       (SELECT count(*) FROM setup_links WHERE used_at IS NULL AND expires_at > ?) AS links,
       (SELECT count(*) FROM enrollments WHERE expires_at > ?) AS enrollments`,
    restore.now,
    restore.now,
    restore.now,
  );
  for (const table of emptied) yield* first(`DELETE FROM ${table}`);
  yield* first(
    'UPDATE totp_enrollments SET last_step = ? WHERE last_step < ?',
    restore.totpStep,
    restore.totpStep,
  );
  yield* first('INSERT INTO restores (id, restored_at) VALUES (?, ?)', restore.id, restore.now);
  const counts = counted ?? {};
  return {
    sessions: integer(counts, 'sessions'),
    recoveryCodes: integer(counts, 'codes'),
    setupLinks: integer(counts, 'links'),
    enrollments: integer(counts, 'enrollments'),
  };
}

const latestRestoreSql = 'SELECT id FROM restores';
