CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE auth_policies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    primary_rules TEXT NOT NULL,
    secondary_rules TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE TABLE identities (
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
  );
CREATE INDEX identities_by_policy ON identities (auth_policy_id);
CREATE INDEX identities_admins ON identities (id) WHERE is_admin = 1;
CREATE TABLE authenticators (
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
  );
CREATE INDEX authenticators_by_identity ON authenticators (identity_id);
CREATE UNIQUE INDEX authenticators_one_password ON authenticators (identity_id) WHERE method = 'updb';
CREATE TABLE auth_requests (
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
  );
CREATE INDEX auth_requests_by_expiry ON auth_requests (expires_at);
CREATE INDEX auth_requests_unfinished ON auth_requests (identity_id) WHERE code_used_at IS NULL;
CREATE TABLE api_sessions (
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
  );
CREATE UNIQUE INDEX api_sessions_by_token ON api_sessions (token_hash) WHERE token_hash IS NOT NULL;
CREATE INDEX api_sessions_by_identity ON api_sessions (identity_id);
CREATE INDEX api_sessions_by_expiry ON api_sessions (expires_at);
CREATE INDEX api_sessions_ended ON api_sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    alg TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    active_from BIGINT NOT NULL,
    retired_at BIGINT,
    removed_at BIGINT
  );
CREATE TABLE server_secrets (
    name TEXT PRIMARY KEY,
    sealed TEXT NOT NULL
  );
CREATE TABLE setup_links (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  );
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    at BIGINT NOT NULL
  );
CREATE INDEX changes_by_time ON changes (at);
CREATE TABLE totp_enrollments (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    sealed_seed TEXT NOT NULL,
    last_step BIGINT NOT NULL,
    enrolled_at BIGINT NOT NULL
  );
CREATE TABLE recovery_codes (
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (identity_id, code_hash)
  );
CREATE TABLE pending_totp (
    flow TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    sealed_seed TEXT NOT NULL,
    recovery_hashes TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  );
CREATE INDEX pending_totp_by_identity ON pending_totp (identity_id);
CREATE INDEX pending_totp_by_expiry ON pending_totp (expires_at);
CREATE TABLE attempts (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    locked_until BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
  );
CREATE INDEX attempts_by_forgetting ON attempts (forget_at);
CREATE TABLE login_attempts (
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
  );
CREATE INDEX login_attempts_by_reference ON login_attempts (reference);
CREATE INDEX login_attempts_by_identity ON login_attempts (identity_id, at);
CREATE INDEX login_attempts_by_time ON login_attempts (at);
CREATE TABLE external_jwt_signers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    enabled INTEGER NOT NULL,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    cert_pem TEXT,
    jwks_endpoint TEXT,
    kid TEXT,
    fingerprint TEXT,
    common_name TEXT,
    not_before BIGINT,
    not_after BIGINT,
    claims_property TEXT NOT NULL,
    use_external_id INTEGER NOT NULL,
    leeway_seconds INTEGER NOT NULL,
    max_lifetime_seconds BIGINT,
    external_auth_url TEXT,
    client_id TEXT,
    scopes TEXT NOT NULL,
    target_token TEXT NOT NULL,
    enroll_to_cert_enabled INTEGER NOT NULL,
    enroll_to_token_enabled INTEGER NOT NULL,
    enroll_auth_policy_id TEXT REFERENCES auth_policies (id),
    enroll_name_claims_selector TEXT NOT NULL,
    enroll_attribute_claims_selector TEXT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (issuer, audience)
  );
CREATE INDEX external_jwt_signers_by_policy ON external_jwt_signers (enroll_auth_policy_id);
CREATE TABLE cas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    cert_pem TEXT NOT NULL,
    thumbprint TEXT NOT NULL UNIQUE,
    is_auth_enabled INTEGER NOT NULL,
    is_auto_ca_enrollment_enabled INTEGER NOT NULL,
    is_ott_ca_enrollment_enabled INTEGER NOT NULL,
    identity_roles TEXT NOT NULL,
    identity_name_format TEXT NOT NULL,
    external_id_claim TEXT,
    verified_at BIGINT,
    verification_token TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE UNIQUE INDEX authenticators_one_certificate ON authenticators (identity_id) WHERE method = 'cert';
ALTER TABLE api_sessions ADD COLUMN signer_id TEXT;
CREATE TABLE enrollments (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    sealed_token TEXT NOT NULL,
    ca_id TEXT REFERENCES cas (id) ON DELETE CASCADE,
    username TEXT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (identity_id, method)
  );
CREATE INDEX enrollments_by_expiry ON enrollments (expires_at);
CREATE INDEX enrollments_by_ca ON enrollments (ca_id);
ALTER TABLE api_sessions ADD COLUMN ca_id TEXT;
ALTER TABLE api_sessions ADD COLUMN primary_proof TEXT;
CREATE TABLE session_certificates (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES api_sessions (id) ON DELETE CASCADE,
    cert_pem TEXT NOT NULL,
    thumbprint TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  );
CREATE INDEX session_certificates_by_session ON session_certificates (session_id);
CREATE INDEX session_certificates_by_expiry ON session_certificates (expires_at);
ALTER TABLE authenticators ADD COLUMN is_extend_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE authenticators ADD COLUMN is_key_roll_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE authenticators ADD COLUMN successor_pem TEXT;
ALTER TABLE authenticators ADD COLUMN successor_thumbprint TEXT;
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    api_addresses TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    left_at BIGINT
  );
CREATE INDEX nodes_by_last_seen ON nodes (last_seen_at);
CREATE TABLE restores (
    id TEXT PRIMARY KEY,
    restored_at BIGINT NOT NULL
  );
ALTER TABLE identities ADD COLUMN permissions TEXT NOT NULL DEFAULT '[]';
CREATE TABLE config_types (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
ALTER TABLE schema_version ADD COLUMN usable_from INTEGER NOT NULL DEFAULT 0;
CREATE TABLE revocations (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    issued_before BIGINT,
    expires_at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE INDEX revocations_by_expiry ON revocations (expires_at);
CREATE TABLE client_info (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    env_info TEXT NOT NULL,
    sdk_info TEXT NOT NULL
  );
CREATE INDEX identities_by_creation ON identities (created_at);
CREATE INDEX api_sessions_by_creation ON api_sessions (created_at);
