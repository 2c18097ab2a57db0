// TOTP, counters of attempts and decision records.

export const factorsSchema: readonly string[] = [
  `CREATE TABLE totp_enrollments (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    sealed_seed TEXT NOT NULL,
    last_step BIGINT NOT NULL,
    enrolled_at BIGINT NOT NULL
  )`,
  `CREATE TABLE recovery_codes (
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (identity_id, code_hash)
  )`,
  `CREATE TABLE pending_totp (
    flow TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    sealed_seed TEXT NOT NULL,
    recovery_hashes TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX pending_totp_by_identity ON pending_totp (identity_id)',
  'CREATE INDEX pending_totp_by_expiry ON pending_totp (expires_at)',
  `CREATE TABLE attempts (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    locked_until BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
  )`,
  'CREATE INDEX attempts_by_forgetting ON attempts (forget_at)',
  `CREATE TABLE login_attempts (
    id TEXT PRIMARY KEY,
    reference TEXT NOT NULL,
    at BIGINT NOT NULL,
    step TEXT NOT NULL,
    mechanism TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    identity_id TEXT,
    subject TEXT,
    ip_address TEXT NOT NULL,
    issuer TEXT NOT NULL,
    checks TEXT NOT NULL
  )`,
  'CREATE INDEX login_attempts_by_reference ON login_attempts (reference)',
  'CREATE INDEX login_attempts_by_identity ON login_attempts (identity_id, at)',
  'CREATE INDEX login_attempts_by_time ON login_attempts (at)',
];
