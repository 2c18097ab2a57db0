import { tablesOfApplications } from './tables-of-applications.ts';
import { tablesOfBrowserSessions, tablesOfDeviceLogins } from './tables-of-logins.ts';
import { tablesOfInvitations } from './tables-of-people.ts';

/** A statement for all engines, written as `Dialect.ddl` takes it, or for one of them. */
export type Migration = string | { readonly only: 'sqlite' | 'postgres'; readonly sql: string };

/**
 * Brings a database of schema version 16, the last one before the versions of releases, to version 17, as the tables of
 * this folder define it. Both are frozen.
 */
export const upgradeFrom16: readonly string[] = [
  // Lists the identities of a policy in order of their ids.
  'DROP INDEX identities_by_policy',
  'CREATE INDEX identities_by_policy ON identities (auth_policy_id, id)',
  // The bindings of a login in progress and its code.
  'ALTER TABLE auth_requests ADD COLUMN browser_binding TEXT',
  'ALTER TABLE auth_requests ADD COLUMN cert_thumbprint TEXT',
  // For providers that never say whether an address is verified.
  'ALTER TABLE external_jwt_signers ADD COLUMN require_verified_email INTEGER NOT NULL DEFAULT 1',
  // Imports. An imported identity may have several certificates.
  `CREATE TABLE imports (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
  )`,
  'ALTER TABLE authenticators ADD COLUMN is_imported INTEGER NOT NULL DEFAULT 0',
  'DROP INDEX authenticators_one_certificate',
  `CREATE UNIQUE INDEX authenticators_one_certificate ON authenticators (identity_id)
    WHERE method = 'cert' AND is_imported = 0`,
  // For checking a legacy session that a certificate opened.
  'ALTER TABLE api_sessions ADD COLUMN cert_chain TEXT',
  ...tablesOfDeviceLogins,
  // For logins that have to replace the password.
  'ALTER TABLE identities ADD COLUMN password_must_change INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE authenticators ADD COLUMN password_set_at BIGINT',
  ...tablesOfInvitations,
  ...tablesOfBrowserSessions,
  'ALTER TABLE api_sessions ADD COLUMN browser_session_id TEXT',
  'ALTER TABLE api_sessions ADD COLUMN resources TEXT',
  // So that what a signer or an authority opened ends with it.
  'CREATE INDEX api_sessions_alive ON api_sessions (identity_id, created_at) WHERE ended_at IS NULL',
  'CREATE INDEX api_sessions_by_signer ON api_sessions (signer_id) WHERE signer_id IS NOT NULL',
  'CREATE INDEX api_sessions_by_ca ON api_sessions (ca_id) WHERE ca_id IS NOT NULL',
  // So that a start reads the ended sessions from the index alone.
  'DROP INDEX api_sessions_ended',
  'CREATE INDEX api_sessions_ended ON api_sessions (ended_at, expires_at, id) WHERE ended_at IS NOT NULL',
  // Which key-encryption keys a node has: a new one is used only once every node has it.
  'ALTER TABLE nodes ADD COLUMN key_ids TEXT',
  ...tablesOfApplications,
];

/**
 * The database keeps the audit trail, an invitation ends when its creator loses the right to make it, and sessions have
 * one index less.
 */
export const to18: readonly string[] = [
  `CREATE TABLE audit_events (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    event TEXT NOT NULL,
    action TEXT,
    entity TEXT,
    entity_id TEXT,
    identity_id TEXT,
    by_identity_id TEXT,
    request_id TEXT,
    ip_address TEXT,
    issuer TEXT,
    details TEXT NOT NULL
  )`,
  'CREATE INDEX audit_events_by_identity ON audit_events (identity_id, at)',
  'CREATE INDEX audit_events_by_time ON audit_events (at)',
  // Null: made by a controller of the previous version.
  'ALTER TABLE invitations ADD COLUMN made_by TEXT REFERENCES identities (id) ON DELETE CASCADE',
  'CREATE INDEX invitations_by_maker ON invitations (made_by)',
  // Queries for an identity's sessions only ask for live ones: api_sessions_alive.
  'DROP INDEX api_sessions_by_identity',
];

/** A session keeps where it was opened, and with what. Null: opened by a controller of the version before. */
export const to19: readonly string[] = [
  'ALTER TABLE api_sessions ADD COLUMN login_ip_address TEXT',
  'ALTER TABLE api_sessions ADD COLUMN program TEXT',
  'ALTER TABLE api_sessions ADD COLUMN operating_system TEXT',
];

/**
 * Counters are kept in order of their keys, instead of in a table and an index of keys: each step writes a page less.
 * PostgreSQL always has both, and its nodes go on counting meanwhile.
 */
export const to20: readonly Migration[] = [
  `CREATE TABLE attempts_by_key (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    locked_until BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
  ) WITHOUT ROWID`,
  `INSERT INTO attempts_by_key (key, failures, locks, locked_until, forget_at)
    SELECT key, failures, locks, locked_until, forget_at FROM attempts`,
  'DROP TABLE attempts',
  'ALTER TABLE attempts_by_key RENAME TO attempts',
  'CREATE INDEX attempts_by_forgetting ON attempts (forget_at)',
].map((sql) => ({ only: 'sqlite', sql }));
