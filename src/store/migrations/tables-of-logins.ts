// Logins in progress, the sessions they open, and the records of attempts.

export const loginAttemptsBySource =
  'CREATE INDEX login_attempts_by_source ON login_attempts (outcome, mechanism, source, identity_id, id)';

export const sessionsByCreation = 'CREATE INDEX api_sessions_by_creation ON api_sessions (created_at, id)';

/** Sessions are deleted when their tokens have expired and their application need not be told of an end any more. */
export const sessionsByDeletion =
  'CREATE INDEX api_sessions_by_deletion ON api_sessions (coalesce(told_until, expires_at))';

/** Last logins: of an identity, to an application, with a program. */
export const tablesOfLastLogins: readonly string[] = [
  `CREATE TABLE last_logins (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    program TEXT,
    operating_system TEXT,
    ip_address TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
  )`,
  'CREATE INDEX last_logins_by_identity ON last_logins (identity_id)',
  'CREATE INDEX last_logins_by_client ON last_logins (client_id, last_at)',
  'CREATE INDEX last_logins_by_time ON last_logins (last_at, id)',
];

export const tablesOfLogins: readonly string[] = [
  `CREATE TABLE auth_requests (
    id TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    issuer TEXT NOT NULL,
    browser_binding TEXT,
    identity_id TEXT NOT NULL,
    progress TEXT NOT NULL,
    cert_thumbprint TEXT,
    key_thumbprint TEXT,
    generation BIGINT NOT NULL,
    code_hash TEXT,
    code_expires_at BIGINT,
    code_used_at BIGINT,
    code_failures INTEGER NOT NULL DEFAULT 0,
    session_id TEXT,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX auth_requests_by_expiry ON auth_requests (expires_at)',
  'CREATE INDEX auth_requests_unfinished ON auth_requests (identity_id) WHERE code_used_at IS NULL',
  // Devices without a browser that wait for a person to log in.
  `CREATE TABLE device_logins (
    id TEXT PRIMARY KEY,
    user_code_hash TEXT NOT NULL UNIQUE,
    code_challenge TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    dropped_scopes TEXT NOT NULL DEFAULT '[]',
    issuer TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    sealed_code TEXT
  )`,
  'CREATE INDEX device_logins_by_expiry ON device_logins (expires_at)',
  // Browsers in which a person is signed in; `progress` has the proofs given there.
  `CREATE TABLE browser_sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    authenticator_id TEXT,
    signer_id TEXT,
    ca_id TEXT,
    issuer TEXT NOT NULL,
    progress TEXT NOT NULL,
    applications TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX browser_sessions_by_identity ON browser_sessions (identity_id, created_at)',
  'CREATE INDEX browser_sessions_by_signer ON browser_sessions (signer_id) WHERE signer_id IS NOT NULL',
  'CREATE INDEX browser_sessions_by_ca ON browser_sessions (ca_id) WHERE ca_id IS NOT NULL',
  'CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at)',
  // `told_until`: so long its application is told when it ends, also after its tokens have expired.
  // `signer_id`, `ca_id`: the signer of the external JWT, or the third-party authority of the certificate, that opened
  // the session. `login_ip_address`, `program` and `operating_system`: where it was opened, and with what.
  `CREATE TABLE api_sessions (
    id TEXT PRIMARY KEY,
    mechanism TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    authenticator_id TEXT,
    token_hash TEXT,
    passed TEXT NOT NULL,
    auth_time BIGINT NOT NULL,
    cert_thumbprint TEXT,
    key_thumbprint TEXT,
    cert_chain TEXT,
    signer_id TEXT,
    ca_id TEXT,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    issuer TEXT NOT NULL,
    config_types TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    login_ip_address TEXT,
    program TEXT,
    operating_system TEXT,
    created_at BIGINT NOT NULL,
    last_activity_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    end_reason TEXT,
    refresh_hash TEXT,
    refresh_generation BIGINT NOT NULL DEFAULT 0,
    refresh_expires_at BIGINT,
    refresh_rotated_at BIGINT,
    family_expires_at BIGINT,
    browser_session_id TEXT,
    resources TEXT,
    opened_by_program INTEGER NOT NULL DEFAULT 0,
    told_until BIGINT
  )`,
  'CREATE UNIQUE INDEX api_sessions_by_token ON api_sessions (token_hash) WHERE token_hash IS NOT NULL',
  'CREATE INDEX api_sessions_alive ON api_sessions (identity_id, created_at) WHERE ended_at IS NULL',
  'CREATE INDEX api_sessions_by_signer ON api_sessions (signer_id) WHERE signer_id IS NOT NULL',
  'CREATE INDEX api_sessions_by_ca ON api_sessions (ca_id) WHERE ca_id IS NOT NULL',
  sessionsByDeletion,
  'CREATE INDEX api_sessions_ended ON api_sessions (ended_at, expires_at, id) WHERE ended_at IS NOT NULL',
  sessionsByCreation,
  // Certificates that were issued for an API session.
  `CREATE TABLE session_certificates (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES api_sessions (id) ON DELETE CASCADE,
    cert_pem TEXT NOT NULL,
    thumbprint TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX session_certificates_by_session ON session_certificates (session_id)',
  'CREATE INDEX session_certificates_by_expiry ON session_certificates (expires_at)',
  // Revocations by administrators. A `jti` is refused for as long as its row exists; the row of an identity or session
  // records that sessions were ended.
  `CREATE TABLE revocations (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    issued_before BIGINT,
    expires_at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX revocations_by_expiry ON revocations (expires_at)',
  // Counters in order of their keys, without a separate index of keys: each step writes a page less.
  `CREATE TABLE attempts (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    locked_until BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
  ) WITHOUT ROWID`,
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
    checks TEXT NOT NULL,
    source TEXT NOT NULL DEFAULT ''
  )`,
  'CREATE INDEX login_attempts_by_reference ON login_attempts (reference)',
  'CREATE INDEX login_attempts_by_identity ON login_attempts (identity_id, at)',
  'CREATE INDEX login_attempts_by_time ON login_attempts (at)',
  // To find the source or identity with most of them.
  loginAttemptsBySource,
  ...tablesOfLastLogins,
];
