// Identities, their authenticators, and their applications. Times are Millis, booleans 0 and 1, structured values JSON
// text. Ids are ordered by time, so that new rows and index entries land on the last pages. See docs/storage-schema.md.

import { usualPolicy } from '../../model/usual-policy.ts';
import { type OfEngine, postgresDialect } from '../sql/engine.ts';

/** The policy of every identity that names no other. Unlike a policy that does not mention passkeys, it allows them. */
const seedPrimary = { ...usualPolicy.primary, passkey: { ...usualPolicy.primary.passkey, allowed: true } };
const seedDefaultPolicy = `INSERT INTO auth_policies
  (id, name, primary_rules, secondary_rules, tags, created_at, updated_at)
  VALUES ('default', 'Default', '${JSON.stringify(seedPrimary)}', '${JSON.stringify(usualPolicy.secondary)}', '{}', 0, 0)`;

export const tablesOfPeople: readonly string[] = [
  `CREATE TABLE auth_policies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    primary_rules TEXT NOT NULL,
    secondary_rules TEXT NOT NULL,
    require_dpop INTEGER NOT NULL DEFAULT 0,
    assign_to TEXT NOT NULL DEFAULT '[]',
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  seedDefaultPolicy,
  `CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    external_id TEXT UNIQUE,
    email TEXT,
    email_verified INTEGER NOT NULL DEFAULT 0,
    auth_policy_id TEXT NOT NULL REFERENCES auth_policies (id),
    auth_policy_from TEXT NOT NULL DEFAULT 'default',
    is_admin INTEGER NOT NULL,
    permissions TEXT NOT NULL DEFAULT '[]',
    disabled_at BIGINT,
    disabled_until BIGINT,
    password_must_change INTEGER NOT NULL DEFAULT 0,
    role_attributes TEXT NOT NULL,
    last_login_at BIGINT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    name_lower TEXT,
    external_id_lower TEXT,
    email_lower TEXT
  )`,
  'CREATE INDEX identities_by_policy ON identities (auth_policy_id, id)',
  'CREATE INDEX identities_admins ON identities (id) WHERE is_admin = 1',
  // People may type their address instead of their user name.
  'CREATE INDEX identities_by_verified_email ON identities (email_lower) WHERE email_verified = 1',
  // Administrators list the newest first, and there may be many.
  // With the key, so that a page far behind is found without the rows before it.
  'CREATE INDEX identities_by_creation ON identities (created_at, id)',
  // The other orders in which administrators look at identities, and what few of them are.
  'CREATE INDEX identities_by_last_login ON identities (last_login_at NULLS FIRST, id)',
  'CREATE INDEX identities_by_update ON identities (updated_at, id)',
  'CREATE INDEX identities_by_type ON identities (type, id)',
  'CREATE INDEX identities_by_email ON identities (email, id)',
  'CREATE INDEX identities_disabled ON identities (disabled_at, id) WHERE disabled_at IS NOT NULL',
  'CREATE INDEX identities_with_old_password ON identities (id) WHERE password_must_change = 1',
  `CREATE TABLE authenticators (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    username TEXT,
    username_key TEXT UNIQUE,
    password_hash TEXT,
    password_set_at BIGINT,
    cert_pem TEXT,
    thumbprint TEXT UNIQUE,
    cert_expires_at BIGINT,
    is_extend_requested INTEGER NOT NULL DEFAULT 0,
    is_key_roll_requested INTEGER NOT NULL DEFAULT 0,
    successor_pem TEXT,
    successor_thumbprint TEXT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX authenticators_by_cert_end ON authenticators (cert_expires_at) WHERE cert_expires_at IS NOT NULL',
  // Certificates of all kinds, in the order in which administrators look at them.
  `CREATE INDEX authenticators_certificates ON authenticators (cert_expires_at NULLS FIRST, id)
  WHERE method = 'cert'`,
  'CREATE INDEX authenticators_by_identity ON authenticators (identity_id)',
  `CREATE UNIQUE INDEX authenticators_one_password ON authenticators (identity_id) WHERE method = 'updb'`,
  // The keys (model/names.ts) of the names of identities and of user names.
  `CREATE TABLE names (
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (identity_id, kind, key)
  ) WITHOUT ROWID`,
  'CREATE INDEX names_by_key ON names (key)',
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
  // Keys and counters of WebAuthn credentials (model/passkey.ts).
  `CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    rp_id TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    counter BIGINT NOT NULL,
    aaguid TEXT NOT NULL,
    is_model_proven INTEGER NOT NULL DEFAULT 0,
    transports TEXT NOT NULL,
    is_discoverable INTEGER NOT NULL,
    is_backup_eligible INTEGER NOT NULL,
    is_backed_up INTEGER NOT NULL,
    cloned_at BIGINT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
  )`,
  'CREATE INDEX passkeys_by_identity ON passkeys (identity_id)',
  // The report of an identity's client at its last completed login.
  `CREATE TABLE client_info (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    env_info TEXT NOT NULL,
    sdk_info TEXT NOT NULL
  )`,
  // Two signers with one issuer differ in their audience, so a token belongs to at most one of them. A token that names
  // both audiences is refused.
  `CREATE TABLE external_jwt_signers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    enabled INTEGER NOT NULL,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    cert_pem TEXT,
    jwks_endpoint TEXT,
    discovery INTEGER NOT NULL DEFAULT 0,
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
    create_identities TEXT,
    require_verified_email INTEGER NOT NULL DEFAULT 1,
    client_auth_method TEXT NOT NULL DEFAULT 'none',
    sealed_client_secret TEXT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (issuer, audience)
  )`,
  'CREATE INDEX external_jwt_signers_by_policy ON external_jwt_signers (enroll_auth_policy_id)',
  `CREATE TABLE cas (
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
    revocation TEXT NOT NULL DEFAULT '{"mode":"off","crlUrls":[],"crlPem":null,"ocsp":null}',
    verified_at BIGINT,
    verification_token TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  // The revocation lists of third-party authorities, by the address that each came from.
  `CREATE TABLE revocation_lists (
    ca_id TEXT NOT NULL REFERENCES cas (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    tried_at BIGINT NOT NULL,
    error TEXT,
    fetched_at BIGINT,
    issuer_pem TEXT,
    der TEXT,
    issuer TEXT,
    is_delta INTEGER,
    list_number TEXT,
    this_update BIGINT,
    next_update BIGINT,
    entries BIGINT,
    PRIMARY KEY (ca_id, url)
  )`,
  // Open enrollments, at most one of each method per identity. Using one deletes its row.
  `CREATE TABLE enrollments (
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
  )`,
  'CREATE INDEX enrollments_by_expiry ON enrollments (expires_at)',
  'CREATE INDEX enrollments_by_ca ON enrollments (ca_id)',
  // Links with which a person chooses a password, at most one per identity. Using one deletes its row.
  `CREATE TABLE invitations (
    identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    end_sessions INTEGER NOT NULL,
    is_by_helper INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    made_by TEXT REFERENCES identities (id) ON DELETE CASCADE,
    mailed_to TEXT,
    is_shown INTEGER NOT NULL DEFAULT 1
  )`,
  'CREATE INDEX invitations_by_expiry ON invitations (expires_at)',
  'CREATE INDEX invitations_by_maker ON invitations (made_by)',
  // Names and ids of configuration types, for what clients ask for at login.
  `CREATE TABLE config_types (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
];

/** Applications that log people in here, with their means of authentication. */
export const tablesOfApplications: readonly string[] = [
  // Lists and mappings are JSON text; durations are in milliseconds, null means the server's default.
  `CREATE TABLE oidc_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    client_uri TEXT,
    initiate_login_uri TEXT,
    logo_uri TEXT,
    redirect_uris TEXT NOT NULL,
    post_logout_redirect_uris TEXT NOT NULL,
    auth_method TEXT NOT NULL,
    jwks TEXT,
    jwks_uri TEXT,
    require_pkce INTEGER NOT NULL,
    require_pushed_authorization_requests INTEGER NOT NULL DEFAULT 0,
    require_dpop INTEGER NOT NULL DEFAULT 0,
    id_token_signing_alg TEXT NOT NULL,
    backchannel_logout_uri TEXT,
    backchannel_logout_session_required INTEGER NOT NULL DEFAULT 0,
    scopes TEXT NOT NULL,
    dropped_scopes TEXT NOT NULL DEFAULT '[]',
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

// Indexes with which PostgreSQL finds a few of millions by a part of a name, a role attribute or a right. SQLite reads
// the table.

/** As filters write it (`sql/list-query.ts`), since the index is used for the same expression only. */
const lowerCase = (column: string, kept: string) => `coalesce(${kept}, ${postgresDialect.lowerCase(column)})`;

const trigrams: Readonly<Record<string, readonly string[]>> = {
  identities: [
    lowerCase('name', 'name_lower'),
    lowerCase('external_id', 'external_id_lower'),
    lowerCase('email', 'email_lower'),
  ],
  // The key of a user name may lose letters of it, so that it does not say what the user name itself contains.
  authenticators: [lowerCase('username', 'username_key'), 'username'],
};

/**
 * The extension comes with PostgreSQL, and the owner of a database may add it. Where the server lacks it or refuses it,
 * searching works without the index.
 */
const trigramSql = Object.entries(trigrams).map(
  ([table, columns]) =>
    `CREATE INDEX ${table}_by_trigrams ON ${table} USING gin (${columns.map((each) => `(${each}) gin_trgm_ops`).join(', ')});`,
);

export const indexesOfSearch: readonly OfEngine[] = [
  {
    engine: 'postgres',
    sql: `CREATE INDEX identities_by_texts ON identities
      USING gin ((role_attributes::jsonb) jsonb_path_ops, (permissions::jsonb) jsonb_path_ops)`,
  },
  {
    engine: 'postgres',
    sql: `DO $$ BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      ${trigramSql.join('\n      ')}
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'without pg_trgm: %', SQLERRM;
    END $$`,
  },
];
