// Applications that log people in here, with their means of authentication.

export const tablesOfApplications: readonly string[] = [
  // Lists and mappings are JSON text; durations are in milliseconds, null means the server's default.
  `CREATE TABLE oidc_clients (
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
  )`,
  `CREATE TABLE oidc_client_secrets (
    id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oidc_clients (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
  )`,
  'CREATE INDEX oidc_client_secrets_by_client ON oidc_client_secrets (client_id)',
  // Assertions with which clients have authenticated: each works once.
  `CREATE TABLE used_assertions (
    id TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX used_assertions_by_expiry ON used_assertions (expires_at)',
];
