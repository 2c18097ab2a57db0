CREATE TABLE schema_version (version INTEGER NOT NULL, usable_from INTEGER NOT NULL DEFAULT 0);
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
    permissions TEXT NOT NULL DEFAULT '[]',
    disabled_at BIGINT,
    disabled_until BIGINT,
    password_must_change INTEGER NOT NULL DEFAULT 0,
    role_attributes TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE INDEX identities_by_policy ON identities (auth_policy_id, id);
CREATE INDEX identities_admins ON identities (id) WHERE is_admin = 1;
CREATE INDEX identities_by_creation ON identities (created_at);
CREATE TABLE authenticators (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    username TEXT,
    username_key TEXT UNIQUE,
    password_hash TEXT,
    password_set_at BIGINT,
    cert_pem TEXT,
    thumbprint TEXT UNIQUE,
    is_extend_requested INTEGER NOT NULL DEFAULT 0,
    is_key_roll_requested INTEGER NOT NULL DEFAULT 0,
    successor_pem TEXT,
    successor_thumbprint TEXT,
    is_imported INTEGER NOT NULL DEFAULT 0,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE INDEX authenticators_by_identity ON authenticators (identity_id);
CREATE UNIQUE INDEX authenticators_one_password ON authenticators (identity_id) WHERE method = 'updb';
CREATE UNIQUE INDEX authenticators_one_certificate ON authenticators (identity_id)
    WHERE method = 'cert' AND is_imported = 0;
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
CREATE TABLE client_info (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    env_info TEXT NOT NULL,
    sdk_info TEXT NOT NULL
  );
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
    require_verified_email INTEGER NOT NULL DEFAULT 1,
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
CREATE TABLE invitations (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    end_sessions INTEGER NOT NULL,
    is_by_helper INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  , made_by TEXT REFERENCES identities (id) ON DELETE CASCADE);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
CREATE TABLE config_types (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE TABLE auth_requests (
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
CREATE TABLE device_logins (
    id TEXT PRIMARY KEY,
    user_code_hash TEXT NOT NULL UNIQUE,
    code_challenge TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    issuer TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    sealed_code TEXT
  );
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);
CREATE TABLE browser_sessions (
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
  );
CREATE INDEX browser_sessions_by_identity ON browser_sessions (identity_id, created_at);
CREATE INDEX browser_sessions_by_signer ON browser_sessions (signer_id) WHERE signer_id IS NOT NULL;
CREATE INDEX browser_sessions_by_ca ON browser_sessions (ca_id) WHERE ca_id IS NOT NULL;
CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at);
CREATE TABLE api_sessions (
    id TEXT PRIMARY KEY,
    mechanism TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    authenticator_id TEXT,
    token_hash TEXT,
    passed TEXT NOT NULL,
    auth_time BIGINT NOT NULL,
    cert_thumbprint TEXT,
    cert_chain TEXT,
    signer_id TEXT,
    ca_id TEXT,
    primary_proof TEXT,
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
    family_expires_at BIGINT,
    browser_session_id TEXT,
    resources TEXT
  , login_ip_address TEXT, program TEXT, operating_system TEXT);
CREATE UNIQUE INDEX api_sessions_by_token ON api_sessions (token_hash) WHERE token_hash IS NOT NULL;
CREATE INDEX api_sessions_alive ON api_sessions (identity_id, created_at) WHERE ended_at IS NULL;
CREATE INDEX api_sessions_by_signer ON api_sessions (signer_id) WHERE signer_id IS NOT NULL;
CREATE INDEX api_sessions_by_ca ON api_sessions (ca_id) WHERE ca_id IS NOT NULL;
CREATE INDEX api_sessions_by_expiry ON api_sessions (expires_at);
CREATE INDEX api_sessions_ended ON api_sessions (ended_at, expires_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX api_sessions_by_creation ON api_sessions (created_at);
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
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    api_addresses TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    left_at BIGINT,
    key_ids TEXT
  );
CREATE INDEX nodes_by_last_seen ON nodes (last_seen_at);
CREATE TABLE restores (
    id TEXT PRIMARY KEY,
    restored_at BIGINT NOT NULL
  );
CREATE TABLE imports (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
  );
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    at BIGINT NOT NULL
  );
CREATE INDEX changes_by_time ON changes (at);
CREATE TABLE oidc_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    post_logout_redirect_uris TEXT NOT NULL,
    auth_method TEXT NOT NULL,
    jwks TEXT,
    jwks_uri TEXT,
    require_pkce INTEGER NOT NULL,
    id_token_signing_alg TEXT NOT NULL,
    scopes TEXT NOT NULL,
    api_access INTEGER NOT NULL,
    resources TEXT NOT NULL,
    allowed_role_attributes TEXT NOT NULL,
    claims TEXT NOT NULL,
    access_token_duration BIGINT,
    refresh_token_duration BIGINT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
CREATE TABLE oidc_client_secrets (
    id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oidc_clients (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
  );
CREATE INDEX oidc_client_secrets_by_client ON oidc_client_secrets (client_id);
CREATE TABLE used_assertions (
    id TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
  );
CREATE INDEX used_assertions_by_expiry ON used_assertions (expires_at);
CREATE TABLE audit_events (
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
  );
CREATE INDEX audit_events_by_identity ON audit_events (identity_id, at);
CREATE INDEX audit_events_by_time ON audit_events (at);
CREATE INDEX invitations_by_maker ON invitations (made_by);
CREATE TABLE "attempts" (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    locked_until BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
  ) WITHOUT ROWID;
CREATE INDEX attempts_by_forgetting ON attempts (forget_at);
