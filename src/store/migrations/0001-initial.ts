// The first schema. Times are Millis, booleans 0 and 1, structured values JSON text. Ids are time-ordered, so that
// new rows and their index entries land on the last pages. See docs/storage-schema.md.

export const initialSchema: readonly string[] = [
  `CREATE TABLE auth_policies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    primary_rules TEXT NOT NULL,
    secondary_rules TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    external_id TEXT UNIQUE,
    auth_policy_id TEXT NOT NULL REFERENCES auth_policies (id),
    is_admin INTEGER NOT NULL,
    disabled_at BIGINT,
    disabled_until BIGINT,
    role_attributes TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX identities_by_policy ON identities (auth_policy_id)',
  'CREATE INDEX identities_admins ON identities (id) WHERE is_admin = 1',
  `CREATE TABLE authenticators (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    username TEXT,
    username_key TEXT UNIQUE,
    password_hash TEXT,
    cert_pem TEXT,
    thumbprint TEXT UNIQUE,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX authenticators_by_identity ON authenticators (identity_id)',
  `CREATE UNIQUE INDEX authenticators_one_password ON authenticators (identity_id) WHERE method = 'updb'`,
  `CREATE TABLE auth_requests (
    id TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    issuer TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    progress TEXT NOT NULL,
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
  `CREATE TABLE api_sessions (
    id TEXT PRIMARY KEY,
    mechanism TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    authenticator_id TEXT,
    token_hash TEXT,
    passed TEXT NOT NULL,
    auth_time BIGINT NOT NULL,
    cert_thumbprint TEXT,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    issuer TEXT NOT NULL,
    config_types TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_activity_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    end_reason TEXT,
    refresh_hash TEXT,
    refresh_generation BIGINT NOT NULL DEFAULT 0,
    refresh_expires_at BIGINT,
    refresh_rotated_at BIGINT,
    family_expires_at BIGINT
  )`,
  'CREATE UNIQUE INDEX api_sessions_by_token ON api_sessions (token_hash) WHERE token_hash IS NOT NULL',
  'CREATE INDEX api_sessions_by_identity ON api_sessions (identity_id)',
  'CREATE INDEX api_sessions_by_expiry ON api_sessions (expires_at)',
  'CREATE INDEX api_sessions_ended ON api_sessions (ended_at) WHERE ended_at IS NOT NULL',
  `CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    alg TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    active_from BIGINT NOT NULL,
    retired_at BIGINT,
    removed_at BIGINT
  )`,
  `CREATE TABLE server_secrets (
    name TEXT PRIMARY KEY,
    sealed TEXT NOT NULL
  )`,
  `CREATE TABLE setup_links (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
];

/** The change feed. The engine counts `seq` up. */
export const changesTable = `CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    at BIGINT NOT NULL
  )`;

/** For expiry. */
export const changesByTime = 'CREATE INDEX changes_by_time ON changes (at)';
